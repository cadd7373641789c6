# Types of opweave.backends.mkldnn.
from contextlib import AbstractContextManager
from typing import Any

allow_tf32: bool | None
deterministic: bool
enabled: bool
fp32_precision: str

VERBOSE_OFF: int
VERBOSE_ON: int
VERBOSE_ON_CREATION: int

class _OfOperator:
    fp32_precision: str

matmul: _OfOperator
conv: _OfOperator
rnn: _OfOperator

class verbose:
    level: int
    def __init__(self, level: int) -> None: ...
    def __enter__(self) -> verbose: ...
    def __exit__(self, *exception: object) -> bool: ...

def is_available() -> bool: ...
def is_acl_available() -> bool: ...
def set_flags(
    _enabled: bool | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
) -> tuple[Any, ...]: ...
def flags(
    enabled: bool | None = None,
    deterministic: bool | None = False,
    allow_tf32: bool | None = True,
    fp32_precision: str | None = "none",
) -> AbstractContextManager[None]: ...
