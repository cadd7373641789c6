# Types of functions that take their arguments in more ways than one schema can say.
from typing import Any, Optional, Sequence, Union

from opweave._C import Tensor, _dtype

_Dims = Union[None, int, Sequence[int]]

def broadcast_tensors(*tensors: Union[Tensor, Sequence[Tensor]]) -> tuple[Tensor, ...]: ...
def einsum(equation: Any, *operands: Any) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> bool: ...
def norm(
    input: Tensor,
    p: Union[None, float, str] = "fro",
    dim: _Dims = None,
    keepdim: bool = False,
    out: Optional[Tensor] = None,
    dtype: Optional[_dtype] = None,
) -> Tensor: ...
def nonzero(input: Tensor, *, out: Optional[Tensor] = None, as_tuple: bool = False) -> Any: ...
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Optional[int] = None,
) -> Any: ...
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Optional[int] = None,
) -> Any: ...
def where(condition: Tensor, *arguments: Any, **options: Any) -> Any: ...
