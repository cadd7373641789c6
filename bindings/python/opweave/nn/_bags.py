"""embedding_bag: vectors of words, put together by bags."""

import warnings

from opweave import _C
from opweave._arguments import expect_bool, expect_int, expect_tensor
from opweave.functional import where
from opweave.nn._embedding import embedding, embedding_renorm_

_MODES = ("sum", "mean", "max")


def _check(input, weight, offsets, mode, per_sample_weights, scale_grad_by_freq):
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it "
            f"must have the same shape as the input ({list(input.shape)})"
        )
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError(
            f"embedding_bag: expected per_sample_weights of the weight's dtype, {weight.dtype}, but got "
            f"{per_sample_weights.dtype}"
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
    if not weight.is_floating_point():
        raise RuntimeError(
            f"embedding_bag: expected a weight of floating point numbers, but got {weight.dtype}"
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


def _check_offsets(offsets, length, include_last_offset):
    """Of an input of a length: from 0 on, never less than the one before, none beyond the end."""
    if offsets.is_floating_point() or offsets.dtype is _C.bool:
        raise RuntimeError(f"embedding_bag: expected offsets of integers, but got {offsets.dtype}")
    if offsets.numel() == 0:
        if include_last_offset:
            raise RuntimeError(
                "include_last_offset: number of offset should be at least 1, the end of the last bag"
            )
        return
    if offsets[0].item() != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            "position 0. "
            f"However, got {offsets[0].item()}"
        )
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        at = int(falls.nonzero()[0]) + 1
        raise RuntimeError(
            f"embedding_bag: offsets must not fall, but offsets[{at}] is {offsets[at].item()} after "
            f"{offsets[at - 1].item()}"
        )
    if offsets[-1].item() > length:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length({length}) but got offsets[-1] of "
            f"{offsets[-1].item()}"
        )


def _bags_of(input, offsets, include_last_offset):
    """(words of all bags, the bag of each, how many bags)."""
    if input.dim() == 2:
        count, length = input.shape
        bags = _C.arange(count, device=input.device).repeat_interleave(length)
        return input.reshape(-1), bags, count
    _check_offsets(offsets, input.numel(), include_last_offset)
    starts = offsets
    if offsets.numel() == 0:
        input = input[:0]  # words without a bag
    elif include_last_offset:
        starts, input = offsets[:-1], input[: offsets[-1].item()]
    begun = _C.zeros(input.numel() + 1, dtype=_C.int64, device=input.device)
    begun = begun.index_add(0, starts.long(), _C.ones_like(starts, dtype=_C.int64))
    return input, begun[:-1].cumsum(0) - 1, starts.numel()


def _padding(padding_idx, words):
    """The word that does not count, counted from the first.

    Raises:
        RuntimeError: there is no such word.
    """
    if not -words <= padding_idx < words:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-words} through {words - 1}, but got "
            f"{padding_idx}"
        )
    return padding_idx % words


def _in_rows(bags, count, sizes):
    """A row for each bag: the places of its words, and behind them the number of words."""
    longest = max(int(sizes.max()), 1) if count else 1
    within = _C.arange(bags.numel(), device=bags.device) - (sizes.cumsum(0) - sizes)[bags]
    rows = bags.new_full((count, longest), bags.numel())
    return rows.index_put((bags, within), _C.arange(bags.numel(), device=bags.device))


def _are_like(sizes, count, words):
    """Whether a row for each bag takes little more memory than the words."""
    return count * int(sizes.max() if count else 1) <= 4 * words


def _in_columns(values, sizes, nothing):
    """What the words of the bags have, in a column for each bag, and `nothing` below."""
    count, longest = sizes.numel(), int(sizes.max())
    if count * longest == values.numel():  # none is shorter
        return values.reshape(count, longest).t()
    ends = sizes.cumsum(0)
    places = (ends - sizes) + _C.arange(longest, device=sizes.device).unsqueeze(1)
    places = where(places < ends, places, values.numel())
    return _C.cat([values, values.new_full((1,), nothing)])[places]


def _sums_where_they_lie(words, sizes, weight, factors):
    """Sums of vectors of 32 or 64 bits, of which no copy is made for every word."""
    from opweave import ops  # few programs call operators by name

    words = _in_columns(words, sizes, -1)
    factors = weight.new_ones(words.shape) if factors is None else _in_columns(factors, sizes, 0)
    table = weight.unsqueeze(0).unsqueeze(0)
    found = ops.weighted_reads(table, words.unsqueeze(0), factors.unsqueeze(0))
    return found.reshape(sizes.numel(), weight.size(1))


# From how many words on copies of their vectors cost more than finding where these lie.
_MANY = 2048


def _are_words(words, count):
    """Whether they are int64 that embedding() takes."""
    if words.dtype is not _C.int64:
        return False
    least, greatest = _C.aminmax(words)
    return least.item() >= 0 and greatest.item() < count


def _sums(words, bags, sizes, weight, factors, scale_grad_by_freq):
    count, wide = sizes.numel(), weight.element_size() >= 4
    simple = not (scale_grad_by_freq or weight.is_meta or _C._vmap_depth())
    like = words.numel() >= _MANY and simple and wide and _are_like(sizes, count, words.numel())
    if like and _are_words(words, weight.size(0)):
        return _sums_where_they_lie(words, sizes, weight, factors)
    vectors = embedding(words, weight, scale_grad_by_freq=scale_grad_by_freq)
    # Sums of 16 bits are rounded once, at their end.
    if not wide:
        vectors = vectors.float()
        factors = None if factors is None else factors.float()
    if factors is not None:
        vectors = vectors * factors.unsqueeze(1)
    return vectors.new_zeros(count, weight.size(1)).index_add(0, bags, vectors)


def _first_of_greatest(vectors, bags, count):
    """For each bag and element the place of the word that has it; the first of equal ones."""
    shape, words = (count, vectors.size(1)), bags.numel()
    index = bags.unsqueeze(1).expand(vectors.shape)
    greatest = vectors.new_full(shape, float("-inf")).scatter_reduce(0, index, vectors, "amax")
    there = greatest.index_select(0, bags)
    equal = (vectors == there) | (vectors.isnan() & there.isnan())
    places = _C.arange(words, device=bags.device).unsqueeze(1)
    places = where(equal, places, words)
    return places.new_full(shape, words).scatter_reduce(0, index, places, "amin")


def _largest(vectors, bags, count):
    """The greatest of each bag, by element; the first of equal ones. Bags that are empty: zeros."""
    sizes = bags.bincount(minlength=count) if bags.numel() else bags.new_zeros(count)
    # A column at least, of what is not there: without words, too, the result is one of the vectors.
    if not bags.is_meta and _are_like(sizes, count, bags.numel()):
        lowest = vectors.new_full((1, vectors.size(1)), float("-inf"))
        found = _C.cat([vectors, lowest])[_in_rows(bags, count, sizes)].max(1).values
        return found.masked_fill((sizes == 0).unsqueeze(1), 0)
    # Bags of very different sizes take no more memory than their words.
    nothing = vectors.new_zeros(1, vectors.size(1))
    first = _first_of_greatest(vectors.detach(), bags, count)
    return _C.cat([vectors, nothing]).gather(0, first)


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
    expect_tensor("embedding_bag", "input", input)
    expect_tensor("embedding_bag", "weight", weight)
    if weight.dtype is _C.int64 and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
            "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        input, weight = weight, input
    if per_sample_weights is not None:
        expect_tensor("embedding_bag", "per_sample_weights", per_sample_weights)
    expect_bool("embedding_bag", "scale_grad_by_freq", scale_grad_by_freq)
    expect_bool("embedding_bag", "include_last_offset", include_last_offset)
    if padding_idx is not None:
        expect_int("embedding_bag", "padding_idx", padding_idx)
    _check(input, weight, offsets, mode, per_sample_weights, scale_grad_by_freq)
    if sparse:
        raise NotImplementedError(
            "embedding_bag: there are no sparse gradients; expected sparse=False"
        )
    words, bags, count = _bags_of(input, offsets, include_last_offset)
    if max_norm is not None:  # of every word that is there, whether it counts or not
        embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    # The words of the bags alone have factors: those beyond the last offset are none.
    factors = (
        None if per_sample_weights is None else per_sample_weights.reshape(-1)[: words.numel()]
    )
    if padding_idx is not None:
        counted = words != _padding(padding_idx, weight.size(0))
        words, bags = words[counted], bags[counted]
        factors = None if factors is None else factors[counted]
    if mode == "max":
        vectors = embedding(words, weight, scale_grad_by_freq=scale_grad_by_freq)
        return _largest(vectors, bags, count)
    sizes = bags.bincount(minlength=count) if bags.numel() else bags.new_zeros(count)
    sums = _sums(words, bags, sizes, weight, factors, scale_grad_by_freq)
    if mode == "mean":
        sums = sums / sizes.clamp(min=1).unsqueeze(1).to(sums.dtype)
    return sums.to(weight.dtype)
