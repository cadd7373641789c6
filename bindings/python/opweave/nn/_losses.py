"""Losses that call several operators."""

import math

import opweave
from opweave._arguments import takes as _takes
from opweave._C import _nn_functional as _F
from opweave._every_example import every_example
from opweave._overridable import make_overridable as _make_overridable


def _expect_reduction(reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduced(loss, reduction):
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.mean()


def _triplet(positive, negative, between, margin, swap, reduction):
    """max(0, d(a, p) - d(a, n) + margin), with swap the smaller of d(a, n) and d(p, n)."""
    if swap:
        negative = opweave.minimum(negative, between())
    return _reduced((positive - negative + margin).clamp_min(0), reduction)


@_takes(anchor="Tensor", positive="Tensor", negative="Tensor", margin="Number")
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """triplet_margin_loss() with any distance."""
    _expect_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ranks = [x.dim() for x in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    distance = distance_function or _F.pairwise_distance
    return _triplet(
        distance(anchor, positive),
        distance(anchor, negative),
        lambda: distance(positive, negative),
        margin,
        swap,
        reduction,
    )


def _is_one_in_one_dimension(sizes, whole):
    """Whether sizes are those of `whole` but for one dimension, of one element."""
    other = [n for n, all_of_them in zip(sizes, whole, strict=False) if n != all_of_them]
    return len(sizes) == len(whole) and other == [1]


@_takes(input="Tensor", target="Tensor", var="Number")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative logarithm of the normal likelihood, with a variance for each element or one.

    Raises:
        ValueError: a negative variance, a variance of a size that does not fit, another reduction.
    """
    if not isinstance(var, opweave.Tensor):
        var = opweave.full((), float(var), dtype=input.dtype, device=input.device)
    elif var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not _is_one_in_one_dimension(var.shape, input.shape):
            raise ValueError(
                f"var is of incorrect size: {tuple(var.shape)} for {tuple(input.shape)}"
            )
    _expect_reduction(reduction)
    if bool((every_example(var) < 0).any()):
        raise ValueError("var has negative entry/entries")
    kept = opweave.ops.with_gradient_of(var.detach().clamp_min(eps), var)
    difference = input - target  # whose square would be infinite sooner
    loss = 0.5 * (kept.log() + difference * (difference / kept))
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


_make_overridable(globals())
