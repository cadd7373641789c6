"""Layers that PyTorch has in modules of other names: nn.modules.activation, container, sparse and so on."""
