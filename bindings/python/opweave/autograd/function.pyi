# Types of opweave.autograd.function.
from collections.abc import Callable
from typing import Any, TypeVar

from opweave import Tensor
from opweave._C import _FunctionContext

_F = TypeVar("_F", bound=Callable[..., Any])

class FunctionCtx(_FunctionContext):
    def save_for_forward(self, *tensors: Tensor | None) -> None: ...
    # A function keeps on it what it likes.
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Function:
    # `forward(ctx, *args)`, or `forward(*args)` beside a setup_context(): no two subclasses take the same.
    forward: Any
    backward: Any
    vjp: Any
    jvp: Any
    setup_context: Any
    vmap: Any
    generate_vmap_rule: bool
    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any: ...

def once_differentiable(function: _F) -> _F: ...

class InplaceFunction(Function): ...
