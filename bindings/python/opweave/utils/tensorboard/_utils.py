"""Pictures as arrays: orders of dimensions, several in a grid, drawings of matplotlib, frames of videos."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_Array = np.ndarray[Any, Any]


def figure_to_image(figures: Any, close: bool = True) -> _Array:
    """What a drawing of matplotlib looks like, (3, height, width) of bytes; several of one size for a list.

    Args:
        close: whether matplotlib shall forget it afterwards.
    """
    if isinstance(figures, list):
        return np.stack([figure_to_image(figure, close) for figure in figures])
    import matplotlib.pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figures)
    canvas.draw()
    drawn: _Array = np.asarray(canvas.buffer_rgba())[:, :, :3]
    if close:
        matplotlib.pyplot.close(figures)
    return np.moveaxis(drawn, -1, 0)


def make_grid(I: _Array, ncols: int = 8) -> _Array:  # noqa: E741, N803 - PyTorch's name
    """Pictures (N, 1 or 3, H, W) beside and below one another, as one of three colours.

    Raises:
        AssertionError: no array of such sizes.
    """
    if not isinstance(I, np.ndarray):
        raise AssertionError(f"make_grid(): expected an array of NumPy, got {type(I).__name__}")
    if I.ndim != 4 or I.shape[1] not in (1, 3):
        raise AssertionError(
            f"make_grid(): expected pictures of 1 or 3 channels, (N, C, H, W), got the shape {I.shape}"
        )
    count, _, height, width = I.shape
    columns = min(count, ncols)
    rows = math.ceil(count / columns)
    grid = np.zeros((3, rows * height, columns * width), I.dtype)
    for i, picture in enumerate(I):
        top, left = i // columns * height, i % columns * width
        grid[:, top : top + height, left : left + width] = picture
    return grid


def convert_to_HWC(tensor: _Array, input_format: str) -> _Array:  # noqa: N802 - PyTorch's name
    """A picture as (H, W, C), of several a grid.

    Args:
        input_format: a letter for each dimension: of "NCHW", of "CHW" or of "HW", in any order.

    Raises:
        AssertionError: a letter twice, or not a letter for each dimension.
    """
    if len(set(input_format)) != len(input_format):
        raise AssertionError(f"dataformats has a letter twice: {input_format!r}")
    if tensor.ndim != len(input_format):
        raise AssertionError(
            f"dataformats, {input_format!r}, needs a letter for each dimension of the shape {tensor.shape}"
        )
    orders = {4: "NCHW", 3: "HWC", 2: "HW"}
    if tensor.ndim not in orders or set(input_format.upper()) != set(orders[tensor.ndim]):
        raise AssertionError(
            f"dataformats has to be of the letters NCHW, CHW or HW, got {input_format!r}"
        )
    tensor = tensor.transpose([input_format.upper().index(c) for c in orders[tensor.ndim]])
    if tensor.ndim == 4:
        return make_grid(tensor).transpose(1, 2, 0)
    if tensor.ndim == 2:
        tensor = tensor[:, :, None]
    return np.repeat(tensor, 3, 2) if tensor.shape[2] == 1 else tensor


def _prepare_video(V: _Array) -> _Array:  # noqa: N803 - PyTorch's name
    """Frames (T, H, W, C) of videos (N, T, C, H, W), which play beside and below one another."""
    videos = V.astype(np.float32) / 255.0 if V.dtype == np.uint8 else V
    count, frames, channels, height, width = videos.shape
    places = 1 << (count - 1).bit_length()
    empty = np.zeros((places - count, *videos.shape[1:]))
    rows = 1 << (count.bit_length() - 1) // 2
    grid = np.concatenate((videos, empty)).reshape(
        rows, places // rows, frames, channels, height, width
    )
    grid = grid.transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(frames, rows * height, places // rows * width, channels)
