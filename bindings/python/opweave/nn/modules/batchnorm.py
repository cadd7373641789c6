"""Layers under the name of the module in which PyTorch has them: pickles name it."""

from opweave.nn.modules.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]
