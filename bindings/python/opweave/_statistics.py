"""Functions of the top module that describe values: quantiles, counts, extremes."""

import math

import opweave
from opweave._arguments import takes as _takes
from opweave._autocast_functions import computed_in as _computed_in
from opweave._every_example import every_example
from opweave._places import to_places as _to_places
from opweave._results import named
from opweave._results import with_out as _with_out

__all__ = [
    *("cummax", "cummin", "histc", "histogram", "logcumsumexp", "nanquantile", "quantile"),
]

_Cummax = named("cummax", "values", "indices")
_Cummin = named("cummin", "values", "indices")
_Histogram = named("histogram", "hist", "bin_edges")

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _wrapped(name, dim, dims):
    most = max(dims, 1)
    if not -most <= dim < most:
        raise IndexError(
            f"{name}: Dimension out of range (expected to be in range of [{-most}, {most - 1}], but "
            f"got {dim})"
        )
    return dim % most


# --- quantiles --------------------------------------------------------------------------------------------
def _check_quantile(name, input, q, interpolation):
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if input.dtype not in (opweave.float32, opweave.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if q.dim() > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    every = every_example(q)
    if not q.is_meta and not bool(((every >= 0) & (every <= 1)).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )


def _between(ordered, ranks, interpolation):
    """Elements of sorted rows [*, n] at fractional ranks [*, k]."""
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    below = ranks.floor()
    last = ordered.size(-1)
    values = ordered.gather(-1, _to_places(below, last))
    if interpolation in ("linear", "midpoint"):
        share = ranks - below if interpolation == "linear" else opweave.full_like(ranks, 0.5)
        values = values.lerp(ordered.gather(-1, _to_places(ranks.ceil(), last)), share)
    return values


def _quantile(name, input, q, dim, keepdim, interpolation, skips_nan):
    if not isinstance(q, opweave.Tensor):
        if not isinstance(q, (int, float)):
            raise TypeError(
                f"{name}(): argument 'q' (position 2) must be Number or Tensor, not {type(q).__name__}"
            )
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        q = opweave.tensor(q, dtype=input.dtype, device=input.device)
    _check_quantile(name, input, q, interpolation)
    dims, shape = input.dim(), list(input.shape)
    if dim is None:
        rows, shape = input.reshape(-1), [1] * dims
    else:
        dim = _wrapped(name, dim, dims)
        rows = input.unsqueeze(0) if dims == 0 else input.movedim(dim, -1)
        if dims:
            shape[dim] = 1
    ordered = rows.sort(-1).values
    counts = rows.isnan().logical_not().sum(-1, keepdim=True) if skips_nan else rows.size(-1)
    ranks = q.reshape(-1) * (counts - 1)
    if skips_nan:
        ranks = ranks.clamp(min=0)
    else:  # NaN is last of all
        ranks = ranks.expand(*rows.shape[:-1], -1)
        ranks = ranks.masked_fill(rows.isnan().any(-1, keepdim=True), rows.size(-1) - 1)
    found = _between(ordered, ranks.expand(*rows.shape[:-1], q.numel()), interpolation)
    found = found.movedim(-1, 0)
    if keepdim:
        found = found.reshape(-1, *shape)
    return found.squeeze(0) if q.dim() == 0 else found


@_takes(input="Tensor", dim="int", interpolation="str")
@_with_out
@_computed_in("fp32", None)
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The values below which the fractions `q` of the elements lie.

    Args:
        input: float32 or float64; NaN makes the result NaN.
        q: a number from 0 to 1, or a vector of such of the input's dtype.
        dim: along which; all elements for None.
        keepdim: whether the dimension stays, of size 1.
        interpolation: between the two nearest elements: "linear", "lower", "higher", "midpoint" or "nearest".

    Returns:
        The input's shape without the dimension; for a vector q, with its size before.

    Raises:
        RuntimeError: an empty input, another dtype, a q outside of 0 to 1, another interpolation.
        IndexError: no such dimension.
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@_takes(input="Tensor", dim="int", interpolation="str")
@_with_out
@_computed_in("fp32", None)
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """As quantile(), of the elements that are not NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


# --- counts -----------------------------------------------------------------------------------------------
def _range_of(name, input, low, high, margin=1):
    if low == high and input.numel():
        low, high = input.min().item(), input.max().item()
    if low == high:
        low, high = low - margin, high + margin
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        raise RuntimeError(f"{name}: range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"{name}: max must be larger than min")
    return low, high


def _shares(values, bins, low, high):
    """How many bins there are before each value."""
    if not ((high - low) * bins).isfinite():
        # By a power of two, which changes no digit.
        scale = 2.0 ** -(1 + bins.bit_length())
        values, low, high = values * scale, low * scale, high * scale
    return (values - low) * bins / (high - low)


@_takes(input="Tensor", bins="int", min="Number", max="Number")
@_with_out
def histc(input, bins=100, min=0, max=0, *, out=None):
    """How many elements lie in each of `bins` equal parts of [min, max]; of all where these are equal.

    Raises:
        RuntimeError: no bins, a range that is not finite or not in order, or integers.
    """
    if not input.is_floating_point():
        raise NotImplementedError(
            f"histc: not implemented for dtype {input.dtype}; expected floating point"
        )
    if bins <= 0:
        raise RuntimeError(f"histc(): bins must be > 0, but got {bins}")
    low, high = _range_of("histc", input, float(min), float(max))
    values = input.detach().reshape(-1)
    values = values[(values >= low) & (values <= high)]
    places = _to_places(_shares(values, bins, *input.new_tensor([low, high])), bins)
    return input.new_zeros(bins).index_add(0, places, opweave.ones_like(values))


def _given_ends(range):
    if not isinstance(range, (tuple, list)) or not all(isinstance(x, (int, float)) for x in range):
        raise TypeError(f"histogram(): argument 'range' must be tuple of floats, not {range!r}")
    if len(range) != 2:
        raise RuntimeError(
            f"histogram(): for a 1-dimensional histogram range should have 2 elements, but got {len(range)}"
        )
    low, high = range
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"histogram(): dimension 0's range [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(
            f"histogram(): min should not exceed max, but got min {low} max {high} for dimension 0"
        )
    return low, high


def _check_edges(input, edges):
    if edges.dim() != 1:
        raise RuntimeError(
            f"histogram(): bins tensor should have one dimension, but got {edges.dim()} dimensions"
        )
    if edges.numel() < 2:
        raise RuntimeError(
            f"histogram(): bins must be > 0, but got {edges.numel() - 1} for dimension 0"
        )
    if edges.dtype is not input.dtype:
        raise RuntimeError(
            f"histogram(): input tensor and bins tensors should have the same dtype, but got {input.dtype} "
            f"and {edges.dtype}"
        )


def _ends(input, range):
    """The first and the last edge; from 0 to 1 where nothing says more."""
    if range is None and input.numel() == 0:
        return 0.0, 1.0
    if range is None:
        low, high = _range_of("histogram", input, 0, 0, margin=0.5)
    else:
        low, high = _given_ends(range)
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@_takes(input="Tensor", weight="Tensor")
@_with_out
def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """(counts, edges): `bins` equal ones of a range (of all elements for None), or between given edges.

    Raises:
        RuntimeError: no bins, or weights of another shape.
    """
    values = input.detach().reshape(-1)
    if isinstance(bins, opweave.Tensor):
        _check_edges(input, bins)
        edges = bins.clone()
    else:
        if isinstance(bins, bool) or not isinstance(bins, int):
            raise TypeError(
                "histogram(): argument 'bins' (position 2) must be int or Tensor, not "
                f"{type(bins).__name__}"
            )
        if bins <= 0:
            raise RuntimeError(f"histogram(): bins must be > 0, but got {bins} for dimension 0")
        low, high = _ends(input, range)
        edges = opweave.linspace(low, high, bins + 1, dtype=input.dtype, device=input.device)
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            "histogram(): if weight tensor is provided it should have the same shape as the input tensor"
        )
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            "histogram(): if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got {input.dtype} and {weight.dtype}"
        )
    counted = opweave.ones_like(values) if weight is None else weight.reshape(-1)
    within = (values >= edges[0]) & (values <= edges[-1])
    places = opweave.searchsorted(edges, values[within], right=True) - 1
    places = places.clamp(max=edges.numel() - 2)
    found = values.new_zeros(edges.numel() - 1).index_add(0, places, counted[within])
    if density:
        found = found / found.sum() / edges.diff()
    return _Histogram(found, edges)


# --- running extremes and sums --------------------------------------------------------------------------
def _running_extreme(name, input, dim, is_before):
    """Where the extreme up to each element is, the last of equal ones; by pairs 1, 2, 4, … apart."""
    dim = _wrapped(name, dim, input.dim())
    if input.dim() == 0:
        return input.clone(), opweave.zeros_like(input, dtype=opweave.int64)
    n = input.size(dim)
    rows = input.detach().movedim(dim, -1)
    index = opweave.arange(n, device=input.device).expand(rows.shape)
    values, reach = rows, 1
    while reach < n:
        left, right = values[..., :-reach], values[..., reach:]
        takes = is_before(left, right) | (left != left) & (right == right)
        index = opweave.cat(
            [
                index[..., :reach],
                opweave.where(takes, index[..., :-reach], index[..., reach:]),
            ],
            -1,
        )
        values = opweave.cat([values[..., :reach], opweave.where(takes, left, right)], -1)
        reach *= 2
    index = index.movedim(-1, dim).contiguous()
    return input.gather(dim, index), index


@_takes(input="Tensor", dim="int")
@_with_out
def cummax(input, dim, *, out=None):
    """(values, indices): the greatest element so far along a dimension, and where it is; NaN after a NaN.

    Raises:
        IndexError: no such dimension.
    """
    return _Cummax(*_running_extreme("cummax", input, dim, opweave.gt))


@_takes(input="Tensor", dim="int")
@_with_out
def cummin(input, dim, *, out=None):
    """(values, indices): the least element so far along a dimension, and where it is; NaN after a NaN.

    Raises:
        IndexError: no such dimension.
    """
    return _Cummin(*_running_extreme("cummin", input, dim, opweave.lt))


@_takes(input="Tensor", dim="int")
@_with_out
def logcumsumexp(input, dim, *, out=None):
    """The logarithms of the running sums of exponentials along a dimension.

    Raises:
        IndexError: no such dimension.
    """
    dim = _wrapped("logcumsumexp", dim, input.dim())
    if not input.is_floating_point():
        raise NotImplementedError(
            f"logcumsumexp: not implemented for dtype {input.dtype}; expected floating point"
        )
    found, reach = input, 1
    n = input.size(dim) if input.dim() else 1
    while reach < n:
        both = opweave.logaddexp(
            found.narrow(dim, reach, n - reach), found.narrow(dim, 0, n - reach)
        )
        found = opweave.cat([found.narrow(dim, 0, reach), both], dim)
        reach *= 2
    return found.clone() if found is input else found
