# Types of the functions of this module.
from collections.abc import Sequence

from opweave import return_types
from opweave._C import Tensor

def cummax(
    input: Tensor, dim: int, *, out: Sequence[Tensor] | None = None
) -> return_types.cummax: ...
def cummin(
    input: Tensor, dim: int, *, out: Sequence[Tensor] | None = None
) -> return_types.cummin: ...
def histc(
    input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | None = None
) -> Tensor: ...
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.histogram: ...
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor: ...
def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
