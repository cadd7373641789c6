# Types of opweave.func.
from collections.abc import Callable, Sequence
from typing import Any

from opweave import Tensor
from opweave.nn import Module

_F = Callable[..., Any]
_Dims = int | tuple[Any, ...] | list[Any] | dict[Any, Any] | None

def grad(func: _F, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> _F: ...
def grad_and_value(func: _F, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> _F: ...
def vjp(func: _F, *primals: Any, has_aux: bool = False) -> Any: ...
def jvp(
    func: _F,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any: ...
def jacrev(
    func: _F,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> _F: ...
def jacfwd(
    func: _F,
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> _F: ...
def hessian(func: _F, argnums: int | tuple[int, ...] = 0) -> _F: ...
def linearize(func: _F, *primals: Any) -> tuple[Any, _F]: ...
def functionalize(func: _F, *, remove: str = "mutations") -> _F: ...
def vmap(
    func: _F,
    in_dims: _Dims = 0,
    out_dims: _Dims = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> _F: ...
def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any: ...
def stack_module_state(
    models: Sequence[Module],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]: ...
def replace_all_batch_norm_modules_(root: Module) -> Module: ...
