"""Clipping of gradients."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

from opweave import _C, _process_groups
from opweave._C import Tensor
from opweave._grad_mode import no_grad
from opweave._gradients import groups_of_gradients, wait_for_gradients


def _listed(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    wait_for_gradients(parameters)
    return parameters


def _gradients(parameters):
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors together, as one vector; zero-dim.

    Raises:
        RuntimeError: with error_if_nonfinite, when it is NaN or infinite.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not tensors:
        return _C.tensor(0.0)
    norms = _C.stack([t.norm(norm_type) for t in tensors])
    total = norms.max() if norm_type == math.inf else norms.norm(norm_type)
    return _checked(total, norm_type, error_if_nonfinite)


def _checked(total, norm_type, error_if_nonfinite):
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
            "anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales gradients in place so that their total norm is at most max_norm; returns the norm before.

    A call of every rank where `ZeroRedundancyOptimizer.shard_gradients` has spread gradients over ranks: the
    norm is that of all.
    """
    with no_grad():
        parameters = _listed(parameters)
        total = _total_norm(parameters, float(norm_type))
        _checked(total, float(norm_type), error_if_nonfinite)
        _scale(_gradients(parameters), max_norm, total)
        return total


def _total_norm(parameters, norm_type):
    """Of the gradients of all ranks that have some of them."""
    by_group = groups_of_gradients(parameters)
    if set(by_group) <= {None}:
        return get_total_norm(_gradients(parameters), norm_type)
    norms = []
    for group, of_group in by_group.items():
        norm = get_total_norm(_gradients(of_group), norm_type).to(of_group[0].device)
        norms.append(norm if group is None else _over_ranks(norm, norm_type, group))
    return get_total_norm(norms, norm_type)


def _over_ranks(norm, norm_type, group):
    if norm_type in (math.inf, 0.0):
        _process_groups.all_reduce(norm, group, largest=norm_type != 0.0)
        return norm
    norm = norm**norm_type
    _process_groups.all_reduce(norm, group)
    return norm ** (1 / norm_type)


def _scale(gradients, max_norm, total):
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scales gradients in place as clip_grad_norm_ does, for a total norm that is known."""
    with no_grad():
        _scale(_gradients(_listed(parameters)), max_norm, total_norm)


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """clip_grad_norm_ by its old name."""
    warnings.warn(
        "nn.utils.clip_grad_norm is deprecated: use nn.utils.clip_grad_norm_",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clamps gradients in place to [-clip_value, clip_value]."""
    with no_grad():
        for gradient in _gradients(_listed(parameters)):
            gradient.clamp_(-float(clip_value), float(clip_value))
