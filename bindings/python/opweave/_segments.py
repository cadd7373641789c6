"""Differences along grids and reductions of segments."""

from opweave import _C
from opweave._arguments import (
    expect_bool,
    expect_int,
    expect_ints,
    expect_number,
    expect_tensor,
    is_int,
)
from opweave._dims import wrapped as _wrapped
from opweave._every_example import every_example
from opweave._overridable import make_overridable as _make_overridable
from opweave.functional import where

__all__ = ["gradient", "segment_reduce"]


# --- gradient -----------------------------------------------------------------------------------------------
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The differences of neighbouring elements by their distance: central ones, and at the ends one-sided.

    Args:
        spacing: the distance, one for each dimension, or coordinates: a vector for each dimension.
        dim: a dimension or several; all of them for None.
        edge_order: 1, or 2 for differences of three elements at the ends.

    Returns:
        tuple: a tensor for each dimension.

    Raises:
        RuntimeError: an edge_order, a spacing or a size that does not fit.
        NotImplementedError: uint8.
    """
    expect_tensor("gradient", "input", input)
    expect_int("gradient", "edge_order", edge_order)
    dims = _dims(input, dim)
    spacings = _spacings(input, spacing, dim, len(dims))
    if input.dtype is _C.uint8:
        raise NotImplementedError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if any(input.size(d) < edge_order + 1 for d in dims):
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1"
        )
    return tuple(_along(input, d, s, edge_order) for d, s in zip(dims, spacings, strict=True))


def _dims(input, dim):
    if dim is None:
        return list(range(input.dim()))
    expect_ints("gradient", "dim", dim)
    given = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    count = max(input.dim(), 1)
    for d in given:
        if not -count <= d < count:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {d})"
            )
    dims = [d % count for d in given]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return dims


def _spacings(input, spacing, dim, count):
    if spacing is None:
        return [1] * count
    if not isinstance(spacing, (tuple, list)) and not (
        isinstance(spacing, _C.Tensor) and spacing.dim()
    ):
        expect_number("gradient", "spacing", spacing, "Number or a sequence of them")
        return [_number(spacing)] * count
    given = list(spacing)
    for i, s in enumerate(given):
        if not isinstance(s, _C.Tensor):
            expect_number("gradient", "spacing", s, "a sequence of Numbers or Tensors")
            given[i] = _number(s)
    if len(given) != count:
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                f"'self.dim() = {input.dim()}', since dim argument was not given, but got a list of length "
                f"{len(given)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments "
            f"to have the same length, but got a spacing argument of length {len(given)} and a dim argument "
            f"of length {count}."
        )
    for s in given:
        if isinstance(s, _C.Tensor) and s.dim() != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element "
                f"with {s.dim()} dimensions!"
            )
    return given


def _number(value):
    """Python's: NumPy's wrap, and have fewer digits."""
    return int(value) if is_int(value) else float(value)


def _along(input, dim, spacing, edge_order):
    x = input.movedim(dim, -1)
    steps = spacing
    if isinstance(spacing, _C.Tensor):
        if spacing.numel() != x.size(-1):
            raise RuntimeError(
                f"gradient(): expected {x.size(-1)} coordinates for dimension {dim}, got "
                f"{spacing.numel()}"
            )
        steps = spacing.diff()
    inner = _central(x, steps)
    first, last = _edge(x, steps, edge_order), _edge(x.flip(-1), _turned(steps), edge_order)
    return _C.cat([part.movedim(-1, dim) for part in (first, inner, last)], dim)


def _turned(steps):
    return -(steps.flip(0) if isinstance(steps, _C.Tensor) else steps)


def _central(x, steps):
    before, here, after = x[..., :-2], x[..., 1:-1], x[..., 2:]
    if not isinstance(steps, _C.Tensor):
        return (after - before) / (2 * steps)
    a, b = steps[:-1], steps[1:]
    return -b / (a * (a + b)) * before + (b - a) / (a * b) * here + a / (b * (a + b)) * after


def _edge(x, steps, order):
    """The difference at the first element."""
    each = isinstance(steps, _C.Tensor)
    a = steps[0] if each else steps
    x0, x1 = x[..., :1], x[..., 1:2]
    if order == 1:
        return (x1 - x0) / a
    b = steps[1] if each else steps
    x2 = x[..., 2:3]
    return -(2 * a + b) / (a * (a + b)) * x0 + (a + b) / (a * b) * x1 - a / (b * (a + b)) * x2


# --- segments -----------------------------------------------------------------------------------------------
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "max": float("-inf"), "min": float("inf")}
_WORDS = {"amax": "max", "amin": "min"}


def segment_reduce(
    data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None
):
    """Reduces the segments of a dimension, one behind the other.

    Args:
        reduce: "sum", "mean", "max", "min" or "prod".
        lengths: of the segments, in the last of its dimensions, which is `axis` of the data; the others are
            those of the data in front of it.
        offsets: in its place: where they begin, and where the last one ends.
        unsafe: the lengths are not checked.
        initial: what each segment is reduced with; one that is empty is this.

    Raises:
        RuntimeError: another word, lengths that do not fit.
        NotImplementedError: integers.
    """
    expect_tensor("segment_reduce", "data", data)
    if not isinstance(reduce, str):
        raise TypeError(
            f"segment_reduce(): argument 'reduce' must be str, not {type(reduce).__name__}"
        )
    expect_int("segment_reduce", "axis", axis)
    expect_bool("segment_reduce", "unsafe", unsafe)
    if initial is not None:
        expect_number("segment_reduce", "initial", initial, "Number")
    word = _WORDS.get(reduce, reduce)
    if word not in _NEUTRAL:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    lengths = _lengths(data, lengths, indices, offsets, axis, unsafe)
    values, segments = _segments(data, lengths, axis)
    found = _scattered(values, segments, lengths, word, initial)
    return found.unflatten(0, lengths.shape)


def _lengths(data, lengths, indices, offsets, axis, unsafe):
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if not data.is_floating_point():
        raise NotImplementedError(f"segment_reduce(): not implemented for dtype {data.dtype}")
    name, given = ("lengths", lengths) if offsets is None else ("offsets", offsets)
    expect_tensor("segment_reduce", name, given)
    if given.is_floating_point():
        raise NotImplementedError(
            f"segment_reduce(): expected whole numbers as {name}, got {given.dtype}"
        )
    if data.dim() == 0:
        raise RuntimeError(
            "segment_reduce(): expected data of at least one dimension, but got a number"
        )
    if _wrapped(axis, data.dim()) != given.dim() - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    lengths = given if offsets is None else given.diff()
    if not unsafe and lengths.numel() and int(every_example(lengths).min()) < 0:
        raise RuntimeError("lengths contains negative value!")
    every = every_example(lengths.sum(-1))
    if not unsafe and offsets is None and bool((every != data.size(axis)).any()):
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) "
            "when !unsafe."
        )
    return lengths.long()


def _segments(data, lengths, axis):
    """(elements that are in segments, the segment of each), over all rows of lengths."""
    rows = lengths.reshape(-1, lengths.size(-1))
    flat = data.flatten(0, axis) if axis else data
    first = _C.arange(rows.size(0), device=data.device) * data.size(axis)
    counts = rows.sum(1)
    numbers = _C.arange(rows.numel(), device=data.device)
    segments = numbers.repeat_interleave(rows.reshape(-1))
    within = _C.arange(segments.numel(), device=data.device)
    before = (counts.cumsum(0) - counts).repeat_interleave(counts)
    return flat[first.repeat_interleave(counts) + within - before], segments


def _scattered(values, segments, lengths, word, initial):
    start = _NEUTRAL[word] if initial is None else initial
    count = lengths.numel()
    found = values.new_full((count, *values.shape[1:]), start)
    places = segments.reshape(-1, *[1] * (values.dim() - 1)).expand(values.shape)
    if word == "mean":
        # Sums and counts of 16 bits are rounded once, as their quotient.
        wide = _C.float32 if values.element_size() < 4 else values.dtype
        total = found.to(wide).scatter_add(0, places, values.to(wide))
        parts = lengths.reshape(-1, *[1] * (values.dim() - 1)).to(wide)
        mean = (total / parts).to(values.dtype)
        return mean if initial is None else where(parts > 0, mean, found)
    names = {"sum": "sum", "prod": "prod", "max": "amax", "min": "amin"}
    return found.scatter_reduce(0, places, values, names[word], include_self=True)


_make_overridable(globals())
