# Types of opweave.backends.mkldnn.
from contextlib import AbstractContextManager
from typing import Any

allow_tf32: bool | None
deterministic: bool
enabled: bool
fp32_precision: str

def is_available() -> bool: ...
def set_flags(
    _enabled: bool | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
) -> tuple[Any, ...]: ...
def flags(
    enabled: bool | None = None,
    deterministic: bool | None = None,
    allow_tf32: bool | None = None,
    fp32_precision: str | None = None,
) -> AbstractContextManager[None]: ...
