"""Calls of modules with other parameters, by the name that older programs use."""

from __future__ import annotations

import warnings
from typing import Any

from opweave._C import Tensor
from opweave.func import functional_call as _call
from opweave.nn.modules.module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any | None = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """As opweave.func.functional_call, which is to be used in its place."""
    warnings.warn(
        "nn.utils.stateless.functional_call is deprecated: use opweave.func.functional_call",
        FutureWarning,
        stacklevel=2,
    )
    args = () if args is None else args
    return _call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
