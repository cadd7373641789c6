"""Vectors of words: what nn.functional's functions check and take beside their operators."""

import warnings

from opweave import _C
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_int as _expect_int
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._grad_mode import no_grad
from opweave._overridable import make_overridable as _make_overridable

_MODES = ("sum", "mean", "max")


def _shorten(weight, input, max_norm, norm_type):
    with no_grad():
        _C.embedding_renorm_(weight.detach(), input, max_norm, norm_type)


def embedding(
    input,
    weight,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    scale_grad_by_freq=False,
    sparse=False,
):
    if scale_grad_by_freq is not False:
        _expect_bool("embedding", "scale_grad_by_freq", scale_grad_by_freq)
    if padding_idx is not None:
        _expect_int("embedding", "padding_idx", padding_idx)
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return _C.embedding(weight, input, padding_idx, scale_grad_by_freq, bool(sparse))


def _check_bags(input, weight, offsets, mode, per_sample_weights, scale_grad_by_freq):
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it "
            f"must have the same shape as the input ({list(input.shape)})"
        )
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
            f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    if weight.dim() != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )
    if input.dim() == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
            "fixed length "
            f"sequences. However, found offsets of type {type(offsets)}"
        )
    if input.dim() == 1 and not isinstance(offsets, _C.Tensor):
        raise ValueError(
            "offsets has to be a 1D Tensor but got None"
            if offsets is None
            else "offsets has to be a 1D Tensor"
        )
    if input.dim() == 1 and offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if input.dim() not in (1, 2):
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )


def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """The sum, mean or maximum of the vectors of each bag of words.

    Args:
        input: words, as indices: a bag in each row (B, N), or all bags one after the other (N).
        weight: (words, width); in front of int64 words too, as of old, with a warning.
        offsets: where each bag begins in an input (N); (B).
        max_norm, norm_type: vectors of a greater norm are scaled to it, in place.
        scale_grad_by_freq: whether gradients are divided by how often a word is there.
        mode: "sum", "mean" or "max".
        sparse: refused; there are no sparse gradients.
        per_sample_weights: factors of the vectors, in sums; of the input's shape.
        include_last_offset: whether the last offset is the end of the last bag; what comes after it is in
            no bag.
        padding_idx: a word that does not count.

    Returns:
        (B, width); zeros for empty bags.

    Raises:
        ValueError: another mode, or shapes that do not agree.
        NotImplementedError: per_sample_weights in other modes; sparse gradients.
        RuntimeError: offsets that do not begin with 0, fall, or lie beyond the input; vectors of integers.
    """
    _expect_tensor("embedding_bag", "input", input)
    _expect_tensor("embedding_bag", "weight", weight)
    if weight.dtype is _C.int64 and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
            "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        input, weight = weight, input
    if per_sample_weights is not None:
        _expect_tensor("embedding_bag", "per_sample_weights", per_sample_weights)
    _check_bags(input, weight, offsets, mode, per_sample_weights, scale_grad_by_freq)
    if input.dim() == 2:
        rows, length = input.shape
        ends = {"dtype": input.dtype, "device": input.device}
        # No step leads from one row of nothing to the next.
        offsets = _C.arange(0, rows * length, length, **ends) if length else _C.zeros(rows, **ends)
        include_last_offset = False
    if max_norm is not None:  # of every word that is there, whether it counts or not
        _shorten(weight, input, max_norm, norm_type)
    return _C.embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _MODES.index(mode),
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )[0]


_make_overridable(globals())
