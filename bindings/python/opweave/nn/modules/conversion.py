"""Parameters that are converted or loaded: in place, as new ones, or swapped (opweave.__future__)."""

from __future__ import annotations

import sys
from collections.abc import Callable

import opweave


def _setting(name):
    # Nobody has set what was not imported.
    settings = sys.modules.get("opweave.__future__")
    return settings is not None and settings._settings[name]


def swaps() -> bool:
    """Whether set_swap_module_params_on_conversion() was asked for."""
    return _setting("swap")


def converted(
    parameter: opweave.Tensor, fn: Callable[[opweave.Tensor], opweave.Tensor]
) -> opweave.Tensor:
    """What stands in a module for a parameter after fn(its elements): the same object, or a new one."""
    with opweave.no_grad():
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
    made = opweave.nn.Parameter(fn(parameter.detach()), parameter.requires_grad)
    parameter.grad = None
    opweave.utils.swap_tensors(parameter, made)
    parameter.grad = grad
    return parameter


def _overwritten(parameter, fn):
    made = opweave.nn.Parameter(fn(parameter.detach()), parameter.requires_grad)
    if parameter.grad is not None:
        made.grad = fn(parameter.grad)
    return made


def load_swapped(target: opweave.Tensor, value: opweave.Tensor, assign: bool) -> None:
    """Has a parameter be what Tensor.module_load() makes of it and of a value."""
    made = target.module_load(value, assign=assign)
    if isinstance(target, opweave.nn.Parameter) and not isinstance(made, opweave.nn.Parameter):
        made = opweave.nn.Parameter(made, target.requires_grad)
    opweave.utils.swap_tensors(target, made)
