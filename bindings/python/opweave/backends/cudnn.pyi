# Types of opweave.backends.cudnn.
from contextlib import AbstractContextManager
from typing import Any

from opweave import Tensor, dtype

allow_tf32: bool
benchmark: bool
benchmark_limit: int
depthwise_kernel: str
deterministic: bool
enabled: bool
fp32_precision: str
CUDNN_TENSOR_DTYPES: set[dtype]

class _OfOperator:
    fp32_precision: str

conv: _OfOperator
rnn: _OfOperator

def is_available() -> bool: ...
def version() -> int | None: ...
def is_acceptable(tensor: Tensor) -> bool: ...
def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
    _depthwise_kernel: str | None = None,
) -> tuple[Any, ...]: ...
def flags(
    enabled: bool | None = False,
    benchmark: bool | None = False,
    benchmark_limit: int | None = 10,
    deterministic: bool | None = False,
    allow_tf32: bool | None = True,
    fp32_precision: str | None = "none",
    depthwise_kernel: str | None = "auto",
) -> AbstractContextManager[None]: ...
