# Types of the functions of this module.
from collections.abc import Sequence
from typing import Any

from opweave._C import Tensor

def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor: ...
def block_diag(*tensors: Any) -> Tensor: ...
def broadcast_shapes(*shapes: Any) -> Any: ...
def cartesian_prod(*tensors: Any) -> Tensor: ...
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor: ...
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor: ...
def isin(
    elements: Any,
    test_elements: Any,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]: ...
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Any = None,
    out: Tensor | None = None,
) -> Tensor: ...
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]: ...
