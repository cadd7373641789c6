# Types of functions that take their arguments in more ways than one schema can say.
from collections.abc import Sequence
from typing import Any

from opweave._C import Tensor, _dtype

_Dims = None | int | Sequence[int]

def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def einsum(equation: Any, *operands: Any) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> bool: ...
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: _Dims = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
) -> Tensor: ...
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any: ...
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any: ...
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any: ...
def where(condition: Tensor, *arguments: Any, **options: Any) -> Any: ...
