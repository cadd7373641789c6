from collections.abc import Callable
from typing import Any

import opweave

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None: ...
def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None: ...
def make_tensor(
    *shape: int | opweave.Size | list[int] | tuple[int, ...],
    dtype: opweave.dtype,
    device: str | opweave.device,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: opweave.memory_format | None = None,
) -> opweave.Tensor: ...
