"""Images read at places between their elements: grid_sample, affine_grid."""

import warnings

from opweave import _C
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._overridable import make_overridable as _make_overridable

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _warn_of_default(name):
    warnings.warn(
        f"Default {name} behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired.",
        stacklevel=3,
    )


def _number(what, modes, mode):
    if not isinstance(mode, str) or mode not in modes:
        raise ValueError(
            f"nn.functional.grid_sample(): expected {what} to be one of {list(modes)}, but got: '{mode}'"
        )
    return modes[mode]


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Images (N, C, H, W) or volumes (N, C, D, H, W), read at the places of a grid: grid_sampler() by words.

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
    numbers = (
        _number("mode", GRID_SAMPLE_INTERPOLATION_MODES, mode),
        _number("padding_mode", GRID_SAMPLE_PADDING_MODES, padding_mode),
    )
    if align_corners is None:
        _warn_of_default("grid_sample and affine_grid")
        align_corners = False
    return _C.grid_sampler(input, grid, *numbers, align_corners)


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
    return _C.affine_grid_generator(theta, size, align_corners)


_make_overridable(globals())
