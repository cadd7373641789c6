# Types of the functions of this module.
from collections.abc import Sequence

from opweave._C import Tensor

def bucketize(
    input: float | Tensor,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def searchsorted(
    sorted_sequence: Tensor,
    input: float | Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    out: Tensor | None = None,
    sorter: Tensor | None = None,
) -> Tensor: ...
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]: ...
