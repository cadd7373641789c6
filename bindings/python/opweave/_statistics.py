"""Functions of the top module that count values."""

import math

import opweave
from opweave._arguments import takes as _takes
from opweave._places import to_places as _to_places
from opweave._results import named
from opweave._results import with_out as _with_out

__all__ = [
    *("histc", "histogram"),
]

_Histogram = named("histogram", "hist", "bin_edges")


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
