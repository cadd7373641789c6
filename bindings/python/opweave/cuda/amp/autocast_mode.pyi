# Types of opweave.cuda.amp.autocast_mode.
from collections.abc import Callable
from typing import Any, TypeVar, overload

from opweave._C import _dtype
from opweave.amp.autocast_mode import autocast as _autocast

_F = TypeVar("_F", bound=Callable[..., Any])

class autocast(_autocast):
    def __init__(
        self, enabled: bool = True, dtype: _dtype = ..., cache_enabled: bool = True
    ) -> None: ...

@overload
def custom_fwd(fwd: _F, *, cast_inputs: _dtype | None = None) -> _F: ...
@overload
def custom_fwd(fwd: None = None, *, cast_inputs: _dtype | None = None) -> Callable[[_F], _F]: ...
@overload
def custom_bwd(bwd: _F) -> _F: ...
@overload
def custom_bwd(bwd: None = None) -> Callable[[_F], _F]: ...
