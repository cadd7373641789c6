"""Calls of modules with other parameters, by the name that older programs use."""

import warnings

from opweave.func import functional_call as _call

__all__ = ["functional_call"]


def functional_call(
    module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False
):
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
