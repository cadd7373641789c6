# Types of opweave.backends.opt_einsum.
from contextlib import AbstractContextManager
from types import ModuleType

enabled: bool
strategy: str | None

def is_available() -> bool: ...
def get_opt_einsum() -> ModuleType | None: ...
def set_flags(
    _enabled: bool | None = None, _strategy: str | None = None
) -> tuple[bool, str | None]: ...
def flags(
    enabled: bool | None = None, strategy: str | None = None
) -> AbstractContextManager[None]: ...
