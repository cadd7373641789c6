# Types of opweave.autograd.functional.
from collections.abc import Callable, Sequence
from typing import Any, Literal

from opweave import Tensor

_Inputs = Tensor | Sequence[Tensor]
_Mode = Literal["reverse-mode", "forward-mode"]

# A tensor for one input, a tuple for several: as the inputs are given.
def vjp(
    func: Callable[..., Any],
    inputs: _Inputs,
    v: _Inputs | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]: ...
def jvp(
    func: Callable[..., Any],
    inputs: _Inputs,
    v: _Inputs | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]: ...
def jacobian(
    func: Callable[..., Any],
    inputs: _Inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: _Mode = "reverse-mode",
) -> Any: ...
def hessian(
    func: Callable[..., Tensor],
    inputs: _Inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: _Mode = "reverse-mode",
) -> Any: ...
def vhp(
    func: Callable[..., Tensor],
    inputs: _Inputs,
    v: _Inputs | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]: ...
def hvp(
    func: Callable[..., Tensor],
    inputs: _Inputs,
    v: _Inputs | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]: ...
