"""Losses that PyTorch has in nn.modules.loss as well, a file for each kind."""
