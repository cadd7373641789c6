"""What tests compare tensors with, and make them with."""

from opweave.testing._comparison import assert_allclose, assert_close
from opweave.testing._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
