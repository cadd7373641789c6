"""Parameters that are converted or loaded: in place, as new ones, or swapped (opweave.__future__)."""

from __future__ import annotations

import sys
from collections.abc import Callable

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.nn.parameter import Parameter
from opweave.utils._swapping import swap_tensors


def _setting(name):
    # Nobody has set what was not imported.
    settings = sys.modules.get("opweave.__future__")
    return settings is not None and settings._settings[name]


def swaps() -> bool:
    """Whether set_swap_module_params_on_conversion() was asked for."""
    return _setting("swap")


def converted(parameter: _C.Tensor, fn: Callable[[_C.Tensor], _C.Tensor]) -> _C.Tensor:
    """What stands in a module for a parameter after fn(its elements): the same object, or a new one."""
    with no_grad():
        if swaps():
            return _swapped(parameter, fn)
        if _setting("overwrite"):
            return _overwritten(parameter, fn)
        parameter.data = fn(parameter.data)
        if parameter.grad is not None:
            parameter.grad.data = fn(parameter.grad.data)
        return parameter


def _swapped(parameter, fn):
    grad = None if parameter.grad is None else fn(parameter.grad)
    made = Parameter(fn(parameter.detach()), parameter.requires_grad)
    parameter.grad = None
    swap_tensors(parameter, made)
    parameter.grad = grad
    return parameter


def _overwritten(parameter, fn):
    made = Parameter(fn(parameter.detach()), parameter.requires_grad)
    if parameter.grad is not None:
        made.grad = fn(parameter.grad)
    return made


def load_swapped(target: _C.Tensor, value: _C.Tensor, assign: bool) -> None:
    """Has a parameter be what Tensor.module_load() makes of it and of a value."""
    made = target.module_load(value, assign=assign)
    if isinstance(target, Parameter) and not isinstance(made, Parameter):
        made = Parameter(made, target.requires_grad)
    swap_tensors(target, made)
