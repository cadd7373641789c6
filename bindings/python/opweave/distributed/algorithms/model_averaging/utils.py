"""Averages of parameters over the ranks of a group, now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import opweave.distributed as dist
from opweave import _C
from opweave._grad_mode import no_grad
from opweave.nn.parameter import Parameter

__all__ = [
    "average_parameters",
    "average_parameters_or_parameter_groups",
    "get_params_to_average",
]


def average_parameters(params: Iterable[_C.Tensor], process_group: dist.ProcessGroup) -> None:
    """Replaces parameters by their averages over a group; a call of its ranks, who send all of them at once.

    Args:
        params: of floating dtypes; those of several are summed up in the widest.
        process_group: the default group, for None. Who is not in it does nothing.
    """
    group = dist.group.WORLD if process_group is None else process_group
    if group is dist.GroupMember.NON_GROUP_MEMBER:
        return
    params = list(params)
    if not params:
        return
    with no_grad():
        together = _C.cat([p.detach().reshape(-1) for p in params]).div_(group.size())
        dist.all_reduce(together, group=group)
        for param, mean in zip(params, together.split([p.numel() for p in params]), strict=True):
            param.copy_(mean.view_as(param))


def get_params_to_average(params: Iterable[Any]) -> list[_C.Tensor]:
    """Those that have gradients.

    Args:
        params: parameters, or the groups of an optimiser.

    Raises:
        NotImplementedError: something else.
    """
    found = []
    for param in params:
        if isinstance(param, Parameter):
            found.append(param)
        elif isinstance(param, dict):
            found += param["params"]
        else:
            raise NotImplementedError(f"Parameter input of type {type(param)} is not supported")
    return [param for param in found if param.grad is not None]


def average_parameters_or_parameter_groups(
    params: Iterable[Any], process_group: dist.ProcessGroup
) -> None:
    """average_parameters() of those of get_params_to_average()."""
    average_parameters(get_params_to_average(params), process_group)
