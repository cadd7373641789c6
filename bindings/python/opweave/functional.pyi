# Types of functions that take their arguments in more ways than one schema can say.
from collections.abc import Sequence
from typing import Any, Literal, overload

from opweave._C import Tensor, _dtype

_Dims = None | int | Sequence[int]

def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any: ...
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any: ...
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any: ...
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor: ...
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
@overload
def nonzero(
    input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False
) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor: ...
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
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(
    condition: Tensor,
    input: Tensor | float,
    other: Tensor | float,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
