# Types of the functions of this module.
from collections.abc import Sequence

from opweave._C import Tensor

def frobenius_norm(input: Tensor, dim: int | Sequence[int], keepdim: bool = False) -> Tensor: ...
def nuclear_norm(
    input: Tensor, dim: int | Sequence[int] = (-2, -1), keepdim: bool = False
) -> Tensor: ...
