"""Layers under the name of the module in which PyTorch has them: pickles name it."""

from opweave.nn.modules.linear import Embedding

__all__ = ["Embedding"]
