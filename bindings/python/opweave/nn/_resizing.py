"""Images and volumes in other sizes: interpolate and its old names choose operators by words."""

import operator

from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import is_int as _is_int
from opweave._arguments import to_size as _to_size
from opweave._C import _nn
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable

# The operators of each mode, by the number of spatial dimensions.
_OPERATORS = {
    "nearest": {d: getattr(_nn, f"upsample_nearest{d}d") for d in (1, 2, 3)},
    "nearest-exact": {d: getattr(_nn, f"_upsample_nearest_exact{d}d") for d in (1, 2, 3)},
    "linear": {1: _nn.upsample_linear1d},
    "bilinear": {2: _nn.upsample_bilinear2d},
    "bicubic": {2: _nn.upsample_bicubic2d},
    "trilinear": {3: _nn.upsample_trilinear3d},
    "area": {d: getattr(_F, f"adaptive_avg_pool{d}d") for d in (1, 2, 3)},
}
_ANTIALIASED = {
    "bilinear": {2: _nn._upsample_bilinear2d_aa},
    "bicubic": {2: _nn._upsample_bicubic2d_aa},
}
_UNALIGNED = ("nearest", "nearest-exact", "area")  # modes without corners that could be aligned


def _whole(size):
    """The numbers of a size, which are no fractions."""
    if not all(map(_is_int, size)):
        raise TypeError(f"interpolate: expected size to be ints, but got {size}")
    return [operator.index(n) for n in size]


def _floats(factors):
    for f in factors:
        if not hasattr(f, "__float__"):
            raise TypeError(
                f"interpolate: expected scale_factor to be numbers, but got {type(f).__name__}"
            )
    return [float(f) for f in factors]


def _asked(input, size, scale_factor):
    """A size for each spatial dimension, or a factor; None for the other."""
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
    return (_whole(values), None) if size is not None else (None, _floats(values))


def _operator(input, mode, align_corners, antialias):
    """What computes a mode for so many dimensions."""
    if mode not in _OPERATORS:
        raise NotImplementedError(
            f"interpolate: mode must be one of {tuple(_OPERATORS)}, but got {mode!r}"
        )
    if antialias and (mode not in _ANTIALIASED or input.dim() != 4):
        raise ValueError(
            "interpolate: antialias=True is restricted to the modes bilinear and bicubic and to inputs of 4 "
            f"dimensions, but got mode={mode!r} and an input of {input.dim()}"
        )
    if align_corners is not None and mode in _UNALIGNED:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            f"| trilinear, but got mode={mode!r}"
        )
    if align_corners is not None:
        _expect_bool("interpolate", "align_corners", align_corners)
    operators = (_ANTIALIASED if antialias else _OPERATORS)[mode]
    if input.dim() - 2 not in operators:
        expected = "3 to 5" if len(operators) > 1 else next(iter(operators)) + 2
        raise NotImplementedError(
            f"Input Error: mode {mode!r} expects {expected} dimensions, but got {input.dim()}"
        )
    return operators[input.dim() - 2]


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
        ValueError: both or neither of size and scale_factor, or numbers for other dimensions; antialias in
            other modes than bilinear and bicubic.
        RuntimeError: no elements to read, or none to write; factors that are not finite.
        NotImplementedError: a mode that there is not, or not for this many dimensions; integers, but for
            uint8 in modes that take it.
    """
    resize = _operator(input, mode, align_corners, antialias)
    sizes, factors = _asked(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if sizes is None and (recompute_scale_factor or mode == "area"):
        spatial = input.shape[2:]
        sizes = [_to_size("interpolate", n * f) for n, f in zip(spatial, factors, strict=True)]
        factors = None
    if mode == "area":
        return resize(input, sizes)
    aligned = () if mode in _UNALIGNED else (bool(align_corners),)
    return resize(input, sizes, *aligned, factors)


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
