# Types of opweave.utils.checkpoint.
import enum
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, Self, TypeVar, overload

from opweave import Tensor
from opweave._ops import OpOverload
from opweave.autograd import Function
from opweave.nn import Sequential
from opweave.utils._python_dispatch import TorchDispatchMode

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]

class CheckpointError(RuntimeError): ...
class CheckpointFunction(Function): ...

class CheckpointPolicy(enum.Enum):
    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5

class SelectiveCheckpointContext:
    is_recompute: bool
    op_output: Any
    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None: ...

class GraphExecGroup:
    def __enter__(self) -> Self: ...
    def __exit__(self, *args: object) -> None: ...

SAC_IGNORED_OPS: set[OpOverload]

def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., CheckpointPolicy | bool] | list[Any],
    allow_cache_entry_mutation: bool = False,
) -> tuple[TorchDispatchMode, TorchDispatchMode]: ...

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
    respect_saved_tensors_hooks: bool | None = None,
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
    respect_saved_tensors_hooks: bool | None = None,
) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]: ...
def checkpoint_sequential(
    functions: Sequential | list[Callable[[Tensor], Tensor]],
    segments: int,
    input: Tensor,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
) -> Tensor: ...
