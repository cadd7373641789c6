# Types of opweave.amp.autocast_mode.
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, overload

from opweave._C import _dtype

_F = TypeVar("_F", bound=Callable[..., Any])

def is_autocast_available(device_type: str) -> bool: ...
def autocast_decorator(autocast_instance: autocast, func: _F) -> _F: ...

class autocast:
    device: str
    fast_dtype: _dtype
    def __init__(
        self,
        device_type: str,
        dtype: _dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None: ...
    def __enter__(self) -> autocast: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None: ...
    def __call__(self, func: _F) -> _F: ...

@overload
def custom_fwd(fwd: _F, *, device_type: str, cast_inputs: _dtype | None = None) -> _F: ...
@overload
def custom_fwd(
    fwd: None = None, *, device_type: str, cast_inputs: _dtype | None = None
) -> Callable[[_F], _F]: ...
@overload
def custom_bwd(bwd: _F, *, device_type: str) -> _F: ...
@overload
def custom_bwd(bwd: None = None, *, device_type: str) -> Callable[[_F], _F]: ...
