"""Pooling that PyTorch has in nn.modules.pooling as well: of volumes, with windows drawn at random."""
