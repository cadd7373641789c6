# Types of opweave.library: its own, and those of opweave._custom_ops that it has by its name.
import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, TypeVar, overload

from opweave._ops import OpOverload as OpOverload

_F = TypeVar("_F", bound=Callable[..., Any])
_Function = Callable[..., Any]
_Operator = str | OpOverload | Any  # or a CustomOpDef
_Tags = Any  # a Tag, a name, or several
device_types_t = str | Sequence[str] | None
NAMELESS_SCHEMA: Any

class Library:
    ns: str
    kind: str
    dispatch_key: str
    def __init__(self, ns: str = "", kind: str = "FRAGMENT", dispatch_key: str = "") -> None: ...
    def define(self, schema: str, alias_analysis: str = "", *, tags: _Tags = ()) -> str: ...
    def impl(
        self,
        op_name: str | OpOverload,
        fn: _Function,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None: ...
    def fallback(
        self, fn: _Function, dispatch_key: str = "", *, with_keyset: bool = False
    ) -> None: ...
    def register_symm_mem_args(self, op_name: str, arg_names: Sequence[str]) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

class dispatch_keys:
    def __init__(self, *, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...

def fake_place(operator: Any) -> Any: ...
def register_functionality(
    name: str, *, above: Sequence[str] = (), below: Sequence[str] = ()
) -> str: ...

fallthrough_kernel: Any

class EffectType(enum.Enum):
    ORDERED = "Ordered"

class CustomOpDef:
    def __init__(
        self,
        qualname: str,
        schema: str,
        fn: _Function,
        device_types: device_types_t,
        tags: _Tags = (),
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @overload
    def register_kernel(self, device_types: device_types_t, fn: _F, /) -> _F: ...
    @overload
    def register_kernel(
        self, device_types: device_types_t, fn: None = None, /
    ) -> Callable[[_F], _F]: ...
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Any: ...
    def register_effect(self, effect: EffectType | None) -> None: ...
    def register_torch_dispatch(
        self, torch_dispatch_class: Any, fn: _Function | None = None, /
    ) -> Any: ...
    def register_fake(self, fn: _F, /) -> _F: ...
    def register_autograd(
        self, backward: _Function, /, *, setup_context: _Function | None = None
    ) -> None: ...
    @overload
    def register_vmap(self, func: _F) -> _F: ...
    @overload
    def register_vmap(self, func: None = None) -> Callable[[_F], _F]: ...
    def register_autocast(self, device_type: str, cast_inputs: Any) -> Any: ...

@overload
def custom_op(
    name: str,
    fn: _Function,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: device_types_t = None,
    schema: str | None = None,
    tags: _Tags | None = None,
) -> CustomOpDef: ...
@overload
def custom_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: device_types_t = None,
    schema: str | None = None,
    tags: _Tags | None = None,
) -> Callable[[_Function], CustomOpDef]: ...
@overload
def register_kernel(
    op: _Operator, device_types: device_types_t, func: _F, /, *, lib: Library | None = None
) -> _F: ...
@overload
def register_kernel(
    op: _Operator, device_types: device_types_t, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...
@overload
def register_fake(
    op: _Operator, func: _F, /, *, lib: Library | None = None, allow_override: bool = True
) -> _F: ...
@overload
def register_fake(
    op: _Operator, func: None = None, /, *, lib: Library | None = None, allow_override: bool = True
) -> Callable[[_F], _F]: ...
@overload
def impl_abstract(qualname: str, func: _F, *, lib: Library | None = None) -> _F: ...
@overload
def impl_abstract(
    qualname: str, func: None = None, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...
def register_autograd(
    op: _Operator,
    backward: _Function,
    /,
    *,
    setup_context: _Function | None = None,
    lib: Library | None = None,
) -> None: ...
@overload
def register_vmap(op: _Operator, func: _F, /, *, lib: Library | None = None) -> _F: ...
@overload
def register_vmap(
    op: _Operator, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...
def register_autocast(
    op: _Operator, device_type: str, cast_inputs: Any, /, *, lib: Library | None = None
) -> Any: ...
def register_torch_dispatch(
    op: _Operator,
    torch_dispatch_class: Any,
    func: _Function | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any: ...
def define(
    qualname: str | Library, schema: str, *more: Any, lib: Library | None = None, tags: _Tags = ()
) -> Any: ...
@overload
def impl(
    qualname: str, types: str | Sequence[str], func: _F, *, lib: Library | None = None
) -> _F: ...
@overload
def impl(
    qualname: str | Library,
    types: str | Sequence[str],
    func: str | None = None,
    *,
    lib: Library | None = None,
) -> Callable[[_F], _F]: ...
def triton_op(
    name: str,
    fn: _Function | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Any: ...
def wrap_triton(triton_kernel: Any, /) -> Any: ...
def get_ctx() -> Any: ...
def get_kernel(op: str | OpOverload, dispatch_key: str) -> Any: ...
def infer_schema(
    prototype_function: _Function,
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
    tags: _Tags = (),
) -> str: ...

class OpCheckError(Exception): ...

def opcheck(
    op: _Operator,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = ...,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]: ...
