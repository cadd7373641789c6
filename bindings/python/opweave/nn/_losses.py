"""Losses that call several operators."""

import math

import opweave
from opweave._autocast_functions import computed_in as _computed_in
from opweave._C import _nn_functional as _F
from opweave._every_example import every_example
from opweave._overridable import make_overridable as _make_overridable
from opweave.nn._reduction import legacy_get_string


def _reduction(size_average, reduce, reduction):
    """The old pair of options as the new one."""
    if size_average is not None or reduce is not None:
        return legacy_get_string(size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def _reduced(loss, reduction):
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.mean()


def margin_ranking_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """max(0, -target * (input1 - input2) + margin)."""
    reduction = _reduction(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _reduced((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@_computed_in("fp32", "fp32")
def hinge_embedding_loss(
    input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"
):
    """The input where the target is 1, max(0, margin - input) where it is -1."""
    reduction = _reduction(size_average, reduce, reduction)
    zeros = opweave.zeros_like(input)
    far = opweave.where(target == 1, zeros, (margin - input).clamp_min(0))
    near = opweave.where(target == -1, zeros, input)
    return _reduced(far + near, reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input))."""
    reduction = _reduction(size_average, reduce, reduction)
    return _reduced((-target * input).exp().log1p(), reduction)


def cosine_embedding_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1; rows (N, D) or vectors (D)."""
    reduction = _reduction(size_average, reduce, reduction)
    if input1.shape != input2.shape or input1.dim() != target.dim() + 1:
        raise RuntimeError(
            "cosine_embedding_loss expects inputs (N, D) and a target (N), or vectors and a 0-dim target, "
            "but "
            f"got {tuple(input1.shape)}, {tuple(input2.shape)} and {tuple(target.shape)}"
        )
    eps = 1e-12
    squares = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    cos = (input1 * input2).sum(-1) / squares.sqrt()
    zeros = opweave.zeros_like(cos)
    near = opweave.where(target == 1, 1 - cos, zeros)
    far = opweave.where(target == -1, (cos - margin).clamp_min(0), zeros)
    return _reduced(near + far, reduction)


def _triplet(positive, negative, between, margin, swap, reduction):
    """max(0, d(a, p) - d(a, n) + margin), with swap the smaller of d(a, n) and d(p, n)."""
    if swap:
        negative = opweave.minimum(negative, between())
    return _reduced((positive - negative + margin).clamp_min(0), reduction)


def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm of the difference."""
    reduction = _reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if len({anchor.dim(), positive.dim(), negative.dim()}) > 1:
        raise RuntimeError(
            "triplet_margin_loss: the anchor, positive, and negative tensors are expected to have the same "
            f"number of dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and "
            f"negative {negative.dim()}D inputs"
        )

    def distance(a, b):
        return _F.pairwise_distance(a, b, p, eps)

    return _triplet(
        distance(anchor, positive),
        distance(anchor, negative),
        lambda: distance(positive, negative),
        margin,
        swap,
        reduction,
    )


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """triplet_margin_loss() with any distance."""
    reduction = _reduction(None, None, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = distance_function or _F.pairwise_distance
    return _triplet(
        distance(anchor, positive),
        distance(anchor, negative),
        lambda: distance(positive, negative),
        margin,
        swap,
        reduction,
    )


def poisson_nll_loss(
    input,
    target,
    log_input=True,
    full=False,
    size_average=None,
    eps=1e-8,
    reduce=None,
    reduction="mean",
):
    """The negative logarithm of the Poisson likelihood; full adds Stirling's term."""
    reduction = _reduction(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        term = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + opweave.where(target > 1, term, opweave.zeros_like(term))
    return _reduced(loss, reduction)


def _is_one_in_one_dimension(sizes, whole):
    """Whether sizes are those of `whole` but for one dimension, of one element."""
    other = [n for n, all_of_them in zip(sizes, whole, strict=False) if n != all_of_them]
    return len(sizes) == len(whole) and other == [1]


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
    _reduction(None, None, reduction)
    if bool((every_example(var) < 0).any()):
        raise ValueError("var has negative entry/entries")
    kept = opweave.ops.with_gradient_of(var.detach().clamp_min(eps), var)
    loss = 0.5 * (kept.log() + (input - target) ** 2 / kept)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def multilabel_soft_margin_loss(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """The mean over classes of the losses of each class alone."""
    reduction = _reduction(size_average, reduce, reduction)
    loss = -(target * _F.logsigmoid(input) + (1 - target) * _F.logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    return _reduced(loss.sum(-1) / input.size(-1), reduction)


def _rows_of_classes(name, input):
    """(N, C), of one row where there are fewer dimensions."""
    if input.dim() > 2 or 0 in input.shape[-1:]:
        raise RuntimeError(
            f"{name}(): Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}"
        )
    return input if input.dim() == 2 else input.reshape(1, -1)


def _check_weight_of_classes(name, weight, classes):
    if weight is None:
        return
    if weight.dim() != 1:
        raise ValueError(f"{name}(): weight must be one-dimensional, got {weight.dim()} dimensions")
    if weight.numel() != classes:
        raise RuntimeError(
            f"{name}(): inconsistent weight size, expected {classes} but got {list(weight.shape)}"
        )


@_computed_in("fp32", "fp32")
def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """The mean over the other classes of max(0, margin - x[target] + x[class]) to the power of p."""
    reduction = _reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError(f"only p == 1 and p == 2 supported, but got {p}")
    rows = _rows_of_classes("multi_margin_loss", input)
    if target.dim() > 1 or target.numel() != rows.size(0):
        raise RuntimeError(
            f"multi_margin_loss(): inconsistent target size, expected {rows.size(0)} but got "
            f"{list(target.shape)}"
        )
    _check_weight_of_classes("multi_margin_loss", weight, rows.size(1))
    places = target.reshape(-1, 1)
    margins = (margin - rows.gather(1, places) + rows).clamp_min(0) ** p
    margins = margins if weight is None else margins * weight[places]
    loss = margins.scatter(1, places, 0.0).sum(1) / rows.size(1)
    return _reduced(loss if target.dim() else loss.squeeze(0), reduction)


@_computed_in("fp32", "fp32")
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """How far the scores of labels lie above all others, by less than 1: summed over pairs, by class.

    Args:
        input: (N, C), (C), or a number.
        target: labels of each row, and -1 behind the last; of the input's shape, int64.
    """
    reduction = _reduction(size_average, reduce, reduction)
    rows = _rows_of_classes("multilabel_margin_loss", input)
    if input.dim() == 0 and target.numel() == 1:
        return _reduced(_multilabel(rows, target.reshape(1, 1)).sum(), reduction)
    if input.shape != target.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    every = every_example(target)
    if target.numel() and not -1 <= int(every.min()) <= int(every.max()) < input.size(-1):
        raise RuntimeError(
            f"multilabel_margin_loss: expected targets from -1 to {input.size(-1) - 1}, but got values from "
            f"{int(every.min())} to {int(every.max())}"
        )
    return _reduced(_multilabel(input, target), reduction)


def _multilabel(input, target):
    counted = (target >= 0).long().cumprod(-1).bool()
    labels = target.clamp(min=0)
    marks = opweave.zeros_like(target).scatter_add(-1, labels, counted.long())
    scores = input.gather(-1, labels)
    pairs = (1 - scores.unsqueeze(-1) + input.unsqueeze(-2)).clamp_min(0)
    counts = counted.unsqueeze(-1) & (marks == 0).unsqueeze(-2)
    pairs = opweave.where(counts, pairs, opweave.zeros_like(pairs))
    return pairs.sum((-1, -2)) / input.size(-1)


_make_overridable(globals())
