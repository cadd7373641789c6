"""Losses that call several operators."""

from opweave import _C
from opweave._arguments import takes as _takes
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable


def _expect_reduction(reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduced(loss, reduction):
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.mean()


def _triplet(positive, negative, between, margin, swap, reduction):
    """max(0, d(a, p) - d(a, n) + margin), with swap the smaller of d(a, n) and d(p, n)."""
    if swap:
        negative = _C.minimum(negative, between())
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


_make_overridable(globals())
