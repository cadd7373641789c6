# Types of opweave.utils.checkpoint.
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar, overload

from opweave import Tensor
from opweave.autograd import Function
from opweave.nn import Sequential

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]

class CheckpointError(RuntimeError): ...
class CheckpointFunction(Function): ...

class DefaultDeviceType:
    @staticmethod
    def set_device_type(device: str = "cuda") -> None: ...
    @staticmethod
    def get_device_type() -> str: ...

def set_checkpoint_early_stop(enable: bool) -> AbstractContextManager[None]: ...
def set_checkpoint_debug_enabled(enabled: bool | None) -> AbstractContextManager[None]: ...
def noop_context_fn() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]: ...
def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]: ...
def set_device_states(
    devices: Iterable[int], states: Iterable[Tensor], *, device_type: str | None = None
) -> None: ...
def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]: ...
def check_backward_validity(inputs: Iterable[Any]) -> None: ...
@overload
def checkpoint(
    function: Callable[..., _T],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: _Contexts = ...,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> _T: ...
@overload
def checkpoint(
    function: None = None,
    *,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: _Contexts = ...,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]: ...
def checkpoint_sequential(
    functions: Sequential | list[Callable[[Tensor], Tensor]],
    segments: int,
    input: Tensor,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
) -> Tensor: ...
