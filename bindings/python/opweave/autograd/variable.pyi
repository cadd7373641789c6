# Types of opweave.autograd.variable.
from opweave import Tensor

__all__ = ["Variable"]
Variable = Tensor
