"""Functions of the top module that describe values: quantiles, covariances, counts, integrals, extremes."""

import warnings

import opweave
from opweave._autocast_functions import computed_in as _computed_in
from opweave._every_example import every_example
from opweave._places import to_places as _to_places
from opweave._results import named
from opweave._results import with_out as _with_out

__all__ = [
    *("corrcoef", "cov", "cummax", "cummin", "cumulative_trapezoid", "histc", "histogram"),
    *("logcumsumexp", "nanquantile", "quantile", "trapezoid", "trapz"),
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


@_with_out
@_computed_in("fp32", None)
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """As quantile(), of the elements that are not NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


# --- covariances ------------------------------------------------------------------------------------------
def _weights(name, weights, count, whole):
    if weights is None:
        return None
    if weights.dim() > 1 or weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have one weight for each of {count} observations, but got "
            f"{list(weights.shape)}"
        )
    if whole == weights.is_floating_point():
        kind = "integral" if whole else "floating point"
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype, but got {weights.dtype}")
    if not weights.is_meta and bool((every_example(weights) < 0).any()):
        raise RuntimeError(f"cov(): {name} cannot be negative")
    return weights


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariances of variables.

    Args:
        input: (variables, observations), or one variable's observations.
        correction: what is taken off the number of observations; 1 for samples.
        fweights: how often each observation was made: integers.
        aweights: how much each counts: floating point.

    Returns:
        (variables, variables), or a number for one variable.

    Raises:
        RuntimeError: more dimensions, or weights that do not belong to the observations.
        NotImplementedError: bools.
    """
    if input.dim() > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.dim()} dimensions"
        )
    if input.dtype is opweave.bool:
        raise NotImplementedError("cov(): bool dtype is not supported for input")
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    rows = rows if rows.is_floating_point() else rows.to(opweave.get_default_dtype())
    count = rows.size(1)
    often = _weights("fweights", fweights, count, True)
    much = _weights("aweights", aweights, count, False)
    weights = often if much is None else much if often is None else often * much
    total = count if weights is None else weights.sum()
    weighted = rows if weights is None else rows * weights
    means = weighted.sum(1, keepdim=True) / total
    if weights is not None and much is not None and correction != 0:
        freedom = total - correction * (weights * much).sum() / total
    else:
        freedom = total - correction
    freedom = opweave.as_tensor(freedom, dtype=rows.dtype, device=rows.device)
    if not freedom.is_meta and bool((every_example(freedom) <= 0).any()):
        warnings.warn("cov(): degrees of freedom is <= 0", stacklevel=2)
        freedom = freedom.clamp_min(0)
    centred = rows - means
    other = centred if weights is None else centred * weights
    found = centred @ other.to(centred.dtype).t() / freedom
    return found.squeeze()


def corrcoef(input):
    """The correlations of variables, each with its observations in a row: from -1 to 1; 1 for one variable.

    Raises:
        RuntimeError: more than two dimensions.
    """
    if input.dim() > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.dim()} dimensions"
        )
    found = cov(input)
    if found.dim() == 0:
        return found / found
    deviations = found.diagonal().sqrt()
    found = found / deviations.unsqueeze(1) / deviations
    return found.clamp(-1, 1)


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


def _ends(input, range):
    """The first and the last edge; from 0 to 1 where nothing says more."""
    if range is None and input.numel() == 0:
        return 0.0, 1.0
    low, high = range if range is not None else _range_of("histogram", input, 0, 0, margin=0.5)
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@_with_out
def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """(counts, edges): `bins` equal ones of a range (of all elements for None), or between given edges.

    Raises:
        RuntimeError: no bins, or weights of another shape.
    """
    values = input.detach().reshape(-1)
    if isinstance(bins, opweave.Tensor):
        edges = bins.clone()
    else:
        if bins <= 0:
            raise RuntimeError(f"histogram(): bins must be > 0, but got {bins} for dimension 0")
        low, high = _ends(input, range)
        edges = opweave.linspace(low, high, bins + 1, dtype=input.dtype, device=input.device)
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            "histogram(): if weight tensor is provided it should have the same shape as the input tensor"
        )
    counted = opweave.ones_like(values) if weight is None else weight.reshape(-1)
    within = (values >= edges[0]) & (values <= edges[-1])
    places = opweave.searchsorted(edges, values[within], right=True) - 1
    places = places.clamp(max=edges.numel() - 2)
    found = values.new_zeros(edges.numel() - 1).index_add(0, places, counted[within])
    if density:
        found = found / found.sum() / edges.diff()
    return _Histogram(found, edges)


# --- integrals ----------------------------------------------------------------------------------------------
def _steps(name, y, x, dx, dim):
    """What each pair of neighbours along a dimension counts."""
    if x is not None and dx is not None:
        raise TypeError(f"{name}() takes x or dx, but got both")
    if x is None:
        return 1.0 if dx is None else dx
    if x.dim() == 1 and x.numel() != y.size(dim):
        raise RuntimeError(
            f"{name}: There must be one `x` value for each sample point: expected {y.size(dim)}, but got "
            f"{x.numel()}"
        )
    if x.dim() == 1:
        x = x.reshape([-1 if d == dim else 1 for d in range(y.dim())])
    return x.diff(dim=dim)


def _areas(name, y, x, dx, dim):
    """Twice the area between each two samples; halved when they are summed, as integers stay whole."""
    if y.dtype is opweave.bool or (x is not None and x.dtype is opweave.bool):
        raise NotImplementedError(f"{name}: received a bool input for `x` or `y`, expected numbers")
    dim = _wrapped(name, dim, y.dim())
    n = y.size(dim)
    steps = _steps(name, y, x, dx, dim)
    return (y.narrow(dim, 1, n - 1) + y.narrow(dim, 0, n - 1)) * steps, dim


def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integral of samples `y` along a dimension by the trapezoidal rule.

    Args:
        x: where the samples were taken; or
        dx: how far they are apart (1).

    Raises:
        TypeError: both are given.
        RuntimeError: not one x for each sample.
    """
    if y.size(dim) == 0:
        return y.sum(dim)
    areas, dim = _areas("trapezoid", y, x, dx, dim)
    return areas.sum(dim) / 2.0


def trapz(y, x=None, *, dx=None, dim=-1):
    """trapezoid() by another name."""
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integrals of samples up to each but the first; see trapezoid()."""
    areas, dim = _areas("cumulative_trapezoid", y, x, dx, dim)
    return areas.cumsum(dim) / 2.0


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


@_with_out
def cummax(input, dim, *, out=None):
    """(values, indices): the greatest element so far along a dimension, and where it is; NaN after a NaN.

    Raises:
        IndexError: no such dimension.
    """
    return _Cummax(*_running_extreme("cummax", input, dim, opweave.gt))


@_with_out
def cummin(input, dim, *, out=None):
    """(values, indices): the least element so far along a dimension, and where it is; NaN after a NaN.

    Raises:
        IndexError: no such dimension.
    """
    return _Cummin(*_running_extreme("cummin", input, dim, opweave.lt))


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
