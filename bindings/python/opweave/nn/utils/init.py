"""Modules without the work of filling their parameters."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from opweave import _C
from opweave.nn.modules.module import Module

_M = TypeVar("_M", bound=Module)

__all__ = ["skip_init"]


def skip_init(module_cls: type[_M], *args: Any, **kwargs: Any) -> _M:
    """A module of the class whose parameters are not filled.

    Raises:
        RuntimeError: it is no class of modules, or takes no `device`.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", _C._default_device())
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
