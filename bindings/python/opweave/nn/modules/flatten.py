"""Layers under the name of the module in which PyTorch has them: pickles name it."""

from opweave.nn.modules.linear import Flatten, Unflatten

__all__ = ["Flatten", "Unflatten"]
