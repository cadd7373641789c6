"""Windows of signals: weights from 0 to 1 and back, as tensors of one dimension."""

import math

from opweave import _C
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_int as _expect_int
from opweave._arguments import expect_number as _expect_number

__all__ = [
    *("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"),
]
_OPTIONS = ("dtype", "layout", "device", "pin_memory", "requires_grad")


def _checked(name, window_length, periodic, options):
    """(dtype, whether it requires a gradient, the other options of the tensor)."""
    _expect_int(name, "window_length", window_length)
    _expect_bool(name, "periodic", periodic)
    unknown = next((option for option in options if option not in _OPTIONS), None)
    if unknown is not None:
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown}'")
    options = {key: value for key, value in options.items() if value is not None}
    dtype = options.pop("dtype", _C.get_default_dtype())
    if not isinstance(dtype, _C.dtype):
        raise TypeError(f"{name}(): argument 'dtype' must be dtype, not {type(dtype).__name__}")
    requires_grad = options.pop("requires_grad", False)
    _expect_bool(name, "requires_grad", requires_grad)
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if window_length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={window_length}"
        )
    return dtype, requires_grad, options


def _phases(name, window_length, periodic, options):
    """From 0 to 1, or to before 1 for windows that repeat; in float64."""
    dtype, requires_grad, options = _checked(name, window_length, periodic, options)
    window_length = int(window_length)
    steps = window_length if periodic else window_length - 1
    x = _C.arange(window_length, dtype=_C.float64, **options)
    x = x / steps if steps > 0 else _C.full_like(x, 0.5)

    def finished(window):
        window = window if window_length != 1 else _C.ones_like(window)
        return window.to(dtype).requires_grad_(requires_grad)

    return x, finished


def hann_window(window_length, periodic=True, **options):
    """(1 - cos(2 pi x)) / 2 for x from 0 to 1.

    Args:
        window_length: how many weights.
        periodic: whether x ends one step before 1, so that a second window can follow; at 1 otherwise.
        options: dtype (floating), layout, device, pin_memory, requires_grad.

    Raises:
        RuntimeError: a negative length, or a dtype that is not floating.
        TypeError: an argument of another type, or an option that there is not.
    """
    x, finished = _phases("hann_window", window_length, periodic, options)
    return finished(0.5 - 0.5 * (2 * math.pi * x).cos())


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, **options):
    """alpha - beta * cos(2 pi x) for x from 0 to 1; otherwise as `hann_window`."""
    x, finished = _phases("hamming_window", window_length, periodic, options)
    _expect_number("hamming_window", "alpha", alpha)
    _expect_number("hamming_window", "beta", beta)
    return finished(float(alpha) - float(beta) * (2 * math.pi * x).cos())


def blackman_window(window_length, periodic=True, **options):
    """0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x) for x from 0 to 1; otherwise as `hann_window`."""
    x, finished = _phases("blackman_window", window_length, periodic, options)
    return finished(0.42 - 0.5 * (2 * math.pi * x).cos() + 0.08 * (4 * math.pi * x).cos())


def bartlett_window(window_length, periodic=True, **options):
    """1 - |2 x - 1| for x from 0 to 1; otherwise as `hann_window`."""
    x, finished = _phases("bartlett_window", window_length, periodic, options)
    return finished(1 - (2 * x - 1).abs())


def kaiser_window(window_length, periodic=True, beta=12.0, **options):
    """i0(beta sqrt(1 - (2 x - 1)^2)) / i0(beta) for x from 0 to 1; otherwise as `hann_window`.

    Args:
        beta: how steep it is, and how low its ends are.
    """
    x, finished = _phases("kaiser_window", window_length, periodic, options)
    _expect_number("kaiser_window", "beta", beta)
    size = abs(float(beta))
    root = (1 - (2 * x - 1).square()).clamp(min=0).sqrt()
    # Both scaled, so that neither is infinite.
    whole = _C._special.special_i0e(_C.full_like(x, size))
    return finished(_C._special.special_i0e(size * root) / whole * (size * (root - 1)).exp())
