"""Functions of the top module that write parts of a copy."""

import opweave
from opweave import _C
from opweave._dims import wrapped
from opweave._layouts import as_it_lies, is_expanded
from opweave._results import with_out

__all__ = [
    *("diagonal_scatter", "index_reduce", "put", "renorm", "scatter_reduce", "select_scatter"),
    "slice_scatter",
]

_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def _counts(input, dim, index, include_self):
    """How many values come together at each place."""
    began = opweave.ones_like(input) if include_self else opweave.zeros_like(input)
    return began.scatter_add(dim, index, opweave.ones_like(index, dtype=input.dtype))


def _touched(input, dim, index):
    return opweave.zeros_like(input, dtype=opweave.bool).scatter(dim, index, True)


def _extreme(input, dim, index, src, greatest, include_self):
    """The values alone: written in their order, so that the extreme one is written last."""
    with opweave.no_grad():
        ordered, places = src.sort(dim=dim, descending=not greatest, stable=True)
        found = input.scatter(dim, index.gather(dim, places), ordered)
        if not include_self:
            return found
        return opweave.maximum(found, input) if greatest else opweave.minimum(found, input)


def _shared_gradient(input, dim, index, src, found, include_self):
    """`found`, whose gradient goes to all values that equal it, in equal parts."""
    touched = _touched(input, dim, index)
    own = input == found if include_self else touched.logical_not()
    own, given = own.to(found.dtype), (src == found.gather(dim, index)).to(found.dtype)
    total = own.scatter_add(dim, index, given)
    kept = input * own / total if include_self else input.masked_fill(touched, 0)
    parts = kept.scatter_add(dim, index, (src * given) / total.gather(dim, index))
    return opweave.ops.with_gradient_of(found, parts)


def _products(dim, index, src):
    """The sources with their indices in order, each times those before it that have the same index."""
    keys, places = index.sort(dim=dim, stable=True)
    values = src.gather(dim, places)
    length, distance = keys.size(dim), 1
    while distance < length:
        count = length - distance
        before, after = values.narrow(dim, 0, count), values.narrow(dim, distance, count)
        same = keys.narrow(dim, 0, count) == keys.narrow(dim, distance, count)
        first = values.narrow(dim, 0, distance)
        values = opweave.cat([first, opweave.where(same, after * before, after)], dim)
        distance *= 2
    return keys, values


def _product(input, dim, index, src, include_self):
    """By log2(n) steps of a scan within equal indices, which is differentiable where there are zeros."""
    if index.numel() == 0:
        return input.scatter_add(dim, index, src)  # of nothing
    if index.dim() == 0:
        return _product(
            input.reshape(1), 0, index.reshape(1), src.reshape(1), include_self
        ).reshape(())
    keys, values = _products(dim, index, src)
    length = keys.size(dim)
    ends = opweave.ones_like(keys, dtype=opweave.bool)
    follows = keys.narrow(dim, 1, length - 1) != keys.narrow(dim, 0, length - 1)
    ends.narrow(dim, 0, length - 1).copy_(follows)
    # Of each run the last alone is added, to zeros.
    whole = opweave.zeros_like(input).scatter_add(dim, keys, values.masked_fill(~ends, 0))
    touched = _touched(input, dim, index)
    return opweave.where(touched, whole * input if include_self else whole, input)


@with_out
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """A copy in which elements of `src` are put together where `index` says, along a dimension.

    Args:
        reduce: "sum", "prod", "mean", "amax", "amin".
        include_self: whether the input's elements count where others come.

    Raises:
        RuntimeError: another reduction, or shapes that do not agree.
    """
    if reduce not in _REDUCTIONS:
        raise RuntimeError(
            f"reduce argument must be either {', '.join(_REDUCTIONS[:-1])} or amin, got {reduce}."
        )
    if reduce == "mean" and input.dtype is opweave.bool:
        raise NotImplementedError(
            "scatter_reduce(): not implemented for dtype opweave.bool with reduce='mean'"
        )
    src = src[tuple(slice(0, n) for n in index.shape)] if src.shape != index.shape else src
    if reduce == "prod":
        found = _product(input, dim, index, src, include_self)
    elif reduce in ("amax", "amin"):
        found = _extreme(input, dim, index, src, reduce == "amax", include_self)
        if found.is_floating_point() and (input.requires_grad or src.requires_grad):
            found = _shared_gradient(input, dim, index, src, found, include_self)
    else:
        began = input if include_self else input.masked_fill(_touched(input, dim, index), 0)
        found = began.scatter_add(dim, index, src)
        if reduce == "mean":
            counts = _counts(input, dim, index, include_self).clamp(min=1)
            whole = not found.is_floating_point()
            found = found.div(counts, rounding_mode="floor") if whole else found / counts
    return found


@with_out
def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """As scatter_reduce(), of whole slices: `index` (n) says to which each of the source's goes.

    Raises:
        RuntimeError: another reduction than "prod", "mean", "amax", "amin": index_add() sums.
        NotImplementedError: bools.
    """
    if reduce not in _REDUCTIONS[1:]:
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of {', '.join(_REDUCTIONS[1:-1])} or amin but got "
            f"{reduce}."
        )
    if input.dtype is opweave.bool:
        raise NotImplementedError("index_reduce(): not implemented for dtype opweave.bool")
    shape = [-1 if d == wrapped(dim, input.dim()) else 1 for d in range(input.dim())]
    places = index.reshape(shape).expand(source.shape)
    return scatter_reduce(input, dim, places, source, reduce, include_self=include_self)


def copied_as_it_lies(input):
    """A copy with the input's strides, also where these leave gaps; under vmap without gaps. Of what was
    expanded each element has a place of its own."""
    if input.is_contiguous() or _C._vmap_depth() > 0 or is_expanded(input):
        return input.clone()
    made = opweave.empty_strided(
        input.shape, input.stride(), dtype=input.dtype, device=input.device
    )
    return made.copy_(input)


def select_scatter(input, src, dim, index):
    """A copy with `src` in the place of input.select(dim, index).

    Raises:
        RuntimeError: another shape than that.
    """
    made = copied_as_it_lies(input)
    part = made.select(dim, index)
    _expect_shape("select_scatter", "slice", part, src)
    part.copy_(src)
    return made


@with_out
def slice_scatter(input, src, dim=0, start=None, end=None, step=1, *, out=None):
    """A copy with `src` in the place of input[start:end:step] along a dimension.

    Raises:
        RuntimeError: another shape than that.
    """
    made = copied_as_it_lies(input)
    at = [slice(None)] * input.dim()
    at[dim] = slice(start, end, step)
    part = made[tuple(at)]
    _expect_shape("slice_scatter", "slice", part, src)
    part.copy_(src)
    return made


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy with `src` in the place of input.diagonal(offset, dim1, dim2).

    Raises:
        RuntimeError: another shape than that.
    """
    made = copied_as_it_lies(input)
    part = made.diagonal(offset, dim1, dim2)
    _expect_shape("diagonal_scatter", "diagonal slice", part, src)
    part.copy_(src)
    return made


def _expect_shape(name, what, part, src):
    if part.shape != src.shape:
        raise RuntimeError(
            f"{name}: expected src to have a size equal to the {what} of self. src size = {list(src.shape)}, "
            f"{what} size = {list(part.shape)}"
        )


def put(input, index, source, accumulate=False):
    """A copy with elements of `source` at places of the input as it is read in order; added if `accumulate`.

    Raises:
        IndexError: not one element for each place, or a place outside.
        RuntimeError: an index of another dtype than int64.
    """
    if index.dtype is not opweave.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype}")
    if index.numel() != source.numel():
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    flat = input.reshape(-1)
    places = (index.reshape(-1),)
    found = flat.index_put(places, source.reshape(-1), accumulate).reshape(input.shape)
    return as_it_lies(found, input)


@with_out
def renorm(input, p, dim, maxnorm, *, out=None):
    """The slices along a dimension, those of a greater norm than `maxnorm` scaled to it.

    Raises:
        RuntimeError: a norm that is not positive, or fewer than two dimensions.
    """
    if p <= 0 or maxnorm < 0 or input.dim() < 2:
        raise RuntimeError(
            f"renorm: expected p > 0, maxnorm >= 0 and at least 2 dimensions, but got p={p}, "
            f"maxnorm={maxnorm}, "
            f"{input.dim()} dimensions"
        )
    others = [d for d in range(input.dim()) if d != wrapped(dim, input.dim())]
    norms = input.norm(p, others, keepdim=True)
    return input * opweave.where(
        norms > maxnorm, maxnorm / (norms + 1e-7), opweave.ones_like(norms)
    )
