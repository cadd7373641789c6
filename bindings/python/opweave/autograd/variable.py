"""Variable, the old name of tensors."""

from opweave import _C

__all__ = ["Variable"]
Variable = _C.Tensor
