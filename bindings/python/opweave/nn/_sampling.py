"""Images read at places between their elements: grid_sample, affine_grid."""

import itertools
import math
import warnings

import opweave
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_floating as _expect_floating
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._autocast_functions import computed_in as _computed_in
from opweave._overridable import make_overridable as _make_overridable
from opweave._places import to_places as _to_places
from opweave._places import within_borders as _within_borders

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}
_A = -0.75  # of the cubic convolution; R. Keys, 1981


def _warn_of_default(name):
    warnings.warn(
        f"Default {name} behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired.",
        stacklevel=3,
    )


def _reflected(x, low, high):
    """Coordinates mirrored at two borders, given doubled, until they lie between."""
    if low == high:
        return opweave.zeros_like(x)
    start, span = low / 2, (high - low) / 2
    away = (x - start).abs()
    flips, rest = (away / span).floor(), away.fmod(span)
    return opweave.where(flips % 2 == 0, rest + start, span - rest + start)


def _padded(x, n, padding_mode, align_corners):
    """Coordinates as the padding has them read."""
    if padding_mode == "reflection":
        x = _reflected(x, 0, 2 * (n - 1)) if align_corners else _reflected(x, -1, 2 * n - 1)
    return x if padding_mode == "zeros" else _within_borders(x, n - 1)


def _coordinates(grid, sizes, align_corners):
    """For each dimension, the last of the grid's first: places in units of elements."""
    found = []
    for i, n in enumerate(reversed(sizes)):
        x = grid[..., i] + 1  # halves are exact: what is far out stays finite as long as it can
        found.append(x * ((n - 1) / 2) if align_corners else x * (n / 2) - 0.5)
    return found[::-1]


def _read(input, places):
    """Elements at whole places [N, *out], one tensor for each dimension, as [N, C, *out]; zeros outside, and
    where that is not."""
    sizes = input.shape[2:]
    inside, flat = None, 0
    for x, n in zip(places, sizes, strict=True):
        within = (x >= 0) & (x < n)
        inside = within if inside is None else inside & within
        flat = flat * n + _to_places(x, n)
    out = flat.shape[1:]
    index = flat.flatten(1).unsqueeze(1).expand(-1, input.size(1), -1)
    values = input.flatten(2).gather(2, index).unflatten(2, out)
    inside = inside.unsqueeze(1)
    return opweave.where(inside, values, opweave.zeros_like(values)), inside


def _linear(input, places):
    """Between the two elements around each place, in all dimensions."""
    lows = [x.detach().floor() for x in places]
    total = 0
    for corner in range(2 ** len(places)):
        weight, at = 1.0, []
        for d, (x, low) in enumerate(zip(places, lows, strict=True)):
            high = corner >> d & 1
            at.append(low + high)
            weight = weight * (x - low if high else low + 1 - x)
        values, inside = _read(input, at)
        weight = weight.unsqueeze(1)
        if len(places) == 3:  # there PyTorch does not look at the weights of what is outside
            weight = opweave.where(inside, weight, opweave.zeros_like(weight))
        total = total + values * weight
    return total


def _cubic_weights(t):
    """Of the four elements around a place, `t` after the second."""

    def near(x):
        return ((_A + 2) * x - (_A + 3)) * x * x + 1

    def far(x):
        return ((_A * x - 5 * _A) * x + 8 * _A) * x - 4 * _A

    return far(t + 1), near(t), near(1 - t), far(2 - t)


def _cubic(input, places, padding_mode, align_corners):
    """Between the four elements around each place, in all dimensions."""
    lows = [x.detach().floor() for x in places]
    weights = [_cubic_weights(x - low) for x, low in zip(places, lows, strict=True)]
    total = 0
    for taps in itertools.product(range(4), repeat=len(places)):
        at = [
            _padded(low + k - 1, n, padding_mode, align_corners)
            for low, k, n in zip(lows, taps, input.shape[2:], strict=True)
        ]
        weight = math.prod(w[k] for w, k in zip(weights, taps, strict=True))
        total = total + _read(input, at)[0] * weight.unsqueeze(1)
    return total


def _check(input, grid, mode, padding_mode):
    _expect_tensor("grid_sample", "grid", grid)
    _expect_floating("grid_sample", input)
    for name, value, known in (
        ("mode", mode, GRID_SAMPLE_INTERPOLATION_MODES),
        ("padding_mode", padding_mode, GRID_SAMPLE_PADDING_MODES),
    ):
        if not isinstance(value, str) or value not in known:
            raise ValueError(
                f"nn.functional.grid_sample(): expected {name} to be one of {list(known)}, but got: '{value}'"
            )
    dims = input.dim()
    if dims not in (4, 5) or grid.dim() != dims:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input "
            f"with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.size(0) != input.size(0) or grid.size(-1) != dims - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have batch size {input.size(0)} and size {dims - 2} in last "
            f"dimension, but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if input.dtype is not grid.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected input and grid to have same dtype, but input has "
            f"{input.dtype} and grid "
            f"has {grid.dtype}"
        )
    if min(input.shape[2:]) == 0:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{list(input.shape)}"
        )


@_computed_in("fp32", "promote")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Images (N, C, H, W) or volumes (N, C, D, H, W), read at the places of a grid.

    Args:
        grid: (N, H', W', 2) of x, y, or (N, D', H', W', 3) of x, y, z: -1 and 1 are the borders.
        mode: "bilinear" (of volumes, trilinear), "nearest", or "bicubic" (of volumes, tricubic).
        padding_mode: what is read outside: "zeros", the "border", or its "reflection".
        align_corners: whether borders are the centres of the outermost elements, or their outer edges.

    Returns:
        (N, C, *grid's sizes).

    Raises:
        ValueError: an unknown mode.
        RuntimeError: shapes or dtypes that do not agree.
    """
    if align_corners is None:
        _warn_of_default("grid_sample and affine_grid")
        align_corners = False
    _check(input, grid, mode, padding_mode)
    _expect_bool("grid_sample", "align_corners", align_corners)
    if input.element_size() < 4:
        # Places rounded to few bits would be others.
        found = grid_sample(input.float(), grid.float(), mode, padding_mode, align_corners)
        return found.to(input.dtype)
    sizes = input.shape[2:]
    places = _coordinates(grid, sizes, align_corners)
    if mode == "bicubic":
        return _cubic(input, places, padding_mode, align_corners)
    places = [
        _padded(x, n, padding_mode, align_corners) for x, n in zip(places, sizes, strict=True)
    ]
    if mode == "nearest":
        return _constant_in(grid, _read(input, [x.detach().round() for x in places])[0])
    return _linear(input, places)


def _constant_in(grid, found):
    """What was found, with a gradient of zeros for the grid, which chose among elements."""
    if not (grid.requires_grad and opweave.is_grad_enabled()):
        return found
    always = opweave.ones((), dtype=opweave.bool, device=found.device)
    return opweave.where(always, found, grid[..., 0].unsqueeze(1))


def affine_grid(theta, size, align_corners=None):
    """The grid that moves images or volumes by affine maps.

    Args:
        theta: (N, 2, 3) or (N, 3, 4), a map for each.
        size: of the result of grid_sample, (N, C, H, W) or (N, C, D, H, W).
        align_corners: as grid_sample's.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
        ValueError: a size that is not positive, or maps of another shape.
        NotImplementedError: sizes of other dimensions.
    """
    _expect_tensor("affine_grid", "theta", theta)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    spatial = len(size) - 2
    if spatial not in (2, 3):
        raise NotImplementedError(
            f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
            f"size {tuple(size)}."
        )
    if theta.dim() != 3 or theta.shape[1:] != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x{spatial + 1} for size "
            f"{tuple(size)}. Got {tuple(theta.shape)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    if align_corners is None:
        _warn_of_default("grid_sample and affine_grid")
        align_corners = False
    return opweave.affine_grid_generator(theta, size, align_corners)


_make_overridable(globals())
