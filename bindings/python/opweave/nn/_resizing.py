"""Images and volumes in other sizes: interpolate and its old names."""

import operator
from math import prod

from opweave import _C
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_floating as _expect_floating
from opweave._arguments import is_int as _is_int
from opweave._C import _nn_functional as _F
from opweave._layouts import channels_last_of
from opweave._overridable import make_overridable as _make_overridable
from opweave._places import to_places as _to_places
from opweave._places import to_size as _to_size

_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")
_AXES = {1: "W", 2: "HW", 3: "DHW"}


def _whole(size):
    """The numbers of a size, which are no fractions."""
    if not all(map(_is_int, size)):
        raise TypeError(f"interpolate: expected size to be ints, but got {size}")
    return [operator.index(n) for n in size]


def _scaled(spatial, factors):
    """The sizes that factors make of others."""
    for f in factors:
        if not hasattr(f, "__float__"):
            raise TypeError(
                f"interpolate: expected scale_factor to be numbers, but got {type(f).__name__}"
            )
    return [_to_size("interpolate", float(n * f)) for n, f in zip(spatial, factors, strict=True)]


def _target_sizes(input, size, scale_factor):
    """The new size of each spatial dimension and the step between sources, where a factor says it."""
    spatial = input.shape[2:]
    if (size is None) == (scale_factor is None):
        given = "neither" if size is None else "both"
        raise ValueError(f"only one of size or scale_factor should be defined, but got {given}")
    value = size if size is not None else scale_factor
    values = list(value) if isinstance(value, (list, tuple)) else [value] * len(spatial)
    if len(values) != len(spatial):
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(spatial)} and {value}"
        )
    if size is not None:
        return _whole(values), [None] * len(values)
    return _scaled(spatial, values), values


def _check_sizes(input, sizes):
    """Something is read, and something written."""
    names = _AXES[len(sizes)]

    def told(numbers):
        return ", ".join(f"{name}: {n}" for name, n in zip(names, numbers, strict=True))

    spatial = input.shape[2:]
    if min(*spatial, *sizes) <= 0:
        raise RuntimeError(
            f"interpolate: Input and output sizes should be greater than 0, but got input ({told(spatial)}) "
            f"output ({told(sizes)})"
        )
    if input.size(1) == 0:
        raise RuntimeError(
            f"interpolate: Non-empty {input.dim()}D data tensor expected but got a tensor with sizes "
            f"{list(input.shape)}"
        )


# --- along one dimension ------------------------------------------------------------------------------------
def _sources(n, out, factor, align_corners, device):
    """Where each new element lies between the old ones."""
    places = _C.arange(out, dtype=_C.float64, device=device)
    if align_corners:
        return places * ((n - 1) / (out - 1) if out > 1 else 0.0)
    return (places + 0.5) * (1.0 / factor if factor else n / out) - 0.5


def _nearest(x, dim, out, factor, exact):
    n = x.size(dim)
    # As in PyTorch, images of the same or of twice the size are so whatever the factor says.
    if x.dim() == 4 and not exact and out in (n, 2 * n):
        return x if out == n else x.repeat_interleave(2, dim)
    places = _C.arange(out, dtype=_C.float32, device=x.device)
    step = 1.0 / factor if factor else n / out
    index = _to_places((places + 0.5) * step if exact else places * step, n)
    return x.index_select(dim, index)


def _weighted_taps(x, dim, first, weights):
    """The sum of neighbours from the float `first` on, each times its weight; outside is the border."""
    from opweave import ops  # few programs call operators by name

    n, sizes = x.size(dim), list(x.shape)
    places = first + _C.arange(len(weights), dtype=first.dtype, device=x.device).unsqueeze(1)
    weight = _C.stack(weights).to(x.dtype)
    flat = x.reshape(1, prod(sizes[:dim]), n, prod(sizes[dim + 1 :]))
    found = ops.weighted_reads(flat, _to_places(places, n).unsqueeze(0), weight.unsqueeze(0))
    return found.reshape([*sizes[:dim], len(first), *sizes[dim + 1 :]])


def _linear(x, dim, out, factor, align_corners):
    if out == x.size(dim):  # whatever the factor says
        return x
    source = _sources(x.size(dim), out, factor, align_corners, x.device).clamp_min(0)
    first = source.floor()
    after = source - first
    return _weighted_taps(x, dim, first, (1 - after, after))


def _cubic(x, dim, out, factor, align_corners):
    a = -0.75
    source = _sources(x.size(dim), out, factor, align_corners, x.device)
    first = source.floor()
    t = source - first

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    weights = (far(t + 1), near(t), near(1 - t), far(2 - t))
    return _weighted_taps(x, dim, first - 1, weights)


# --- along all ----------------------------------------------------------------------------------------------
def _resized(input, mode, sizes, factors, align_corners):
    """Of [N, *spatial, C] or [N, C, *spatial], in which the spatial dimensions are numbered from the first
    of `steps` on."""
    last = channels_last_of(input)
    x = input.movedim(1, -1) if last is not None else input
    steps = list(enumerate(zip(sizes, factors, strict=True), 1 if last is not None else 2))
    found = _along(x, input.dim(), mode, steps, align_corners)
    found = found.clone() if found is x else found  # a size that stays is no view of the input
    return found if last is None else found.movedim(-1, 1)


def _along(x, rank, mode, steps, align_corners):
    if mode.startswith("nearest"):
        for dim, (out, factor) in steps:
            x = _nearest(x, dim, out, factor, mode == "nearest-exact")
        return x
    along = _cubic if mode == "bicubic" else _linear
    if x.dtype is _C.uint8 and rank == 4:
        for dim, (out, factor) in reversed(steps):  # rounded to bytes after each, as in PyTorch
            if out == x.size(dim):
                continue
            x = along(x.float(), dim, out, factor, align_corners)
            x = (x + 0.5).floor().clamp(0, 255).to(_C.uint8)
        return x
    _expect_floating(f"interpolate: mode {mode!r}", x)
    # Sums of products of few bits are rounded once, at their end.
    wide = x.float() if x.element_size() < 4 else x
    for dim, (out, factor) in steps:
        wide = along(wide, dim, out, factor, align_corners)
    return wide.to(x.dtype)


def _check_mode(input, mode, align_corners, antialias):
    if mode not in _MODES:
        raise NotImplementedError(f"interpolate: mode must be one of {_MODES}, but got {mode!r}")
    if antialias:
        raise NotImplementedError("interpolate: antialias=True is not supported, expected False")
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            f"| trilinear, but got mode={mode!r}"
        )
    if align_corners is not None:
        _expect_bool("interpolate", "align_corners", align_corners)
    dims = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}.get(mode)
    if (dims is None and input.dim() not in (3, 4, 5)) or (
        dims is not None and input.dim() != dims
    ):
        raise NotImplementedError(
            f"Input Error: mode {mode!r} expects {dims or '3 to 5'} dimensions, but got {input.dim()}"
        )


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """Images (N, C, *spatial) in another size, or scaled by a factor; they lie as the input does.

    Raises:
        ValueError: both or neither of size and scale_factor, or numbers for other dimensions.
        RuntimeError: no elements to read, or none to write; factors that are not finite.
        NotImplementedError: a mode that there is not, or not for this many dimensions; antialias; integers
            in modes that compute, but for images of uint8.
    """
    _check_mode(input, mode, align_corners, antialias)
    sizes, factors = _target_sizes(input, size, scale_factor)
    if recompute_scale_factor:
        if size is not None:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        factors = [None] * len(sizes)
    if mode == "area":
        return getattr(_F, f"adaptive_avg_pool{input.dim() - 2}d")(input, sizes)
    _check_sizes(input, sizes)
    return _resized(input, mode, sizes, factors, bool(align_corners))


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """interpolate() under its old name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """interpolate() to the nearest."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """interpolate(), bilinear, with the corners aligned."""
    return interpolate(input, size, scale_factor, "bilinear", True)


_make_overridable(globals())
