"""Windows of M points, of one dimension.

All take `sym`, whether the last point is the first one's mirror image (False: the window is one period of M
points that are repeated), and `dtype` (float32 or float64; the default dtype without it), `layout`,
`device` and `requires_grad`.

Raises:
    ValueError: M below 0, another dtype or layout, a parameter out of its range.
"""

import math
from collections.abc import Iterable

from opweave import _C

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


class _Kind:
    """What a window is made as."""

    def __init__(
        self,
        name,
        points,
        dtype=None,
        layout=_C.strided,
        device=None,
        requires_grad=False,
    ):
        dtype = _C.get_default_dtype() if dtype is None else dtype
        if not hasattr(points, "__index__"):
            raise TypeError(f"{name}: M: expected an int, got {points!r}")
        if points < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={points}")
        if layout is not _C.strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if dtype not in (_C.float32, _C.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
        self.points = points
        self.options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}

    def short(self):
        """The window where it has at most one point, which is 1."""
        return _C.ones(self.points, **self.options)

    def line(self, start, end):
        return _C.linspace(start, end, self.points, **self.options)


def _period(points, sym):
    """The distance from the first point to where it is repeated."""
    return points if not sym and points > 1 else points - 1


def exponential(M, *, center=None, tau=1.0, sym=True, **options):  # noqa: N803
    """exp(-|n - center| / tau); the center of a symmetric window is its middle."""
    kind = _Kind("exponential", M, **options)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError(f"Center must be None for symmetric windows, got: {center}")
    if M == 0:
        return kind.short()
    if center is None:
        center = _period(M, sym) / 2.0
    return _C.exp(-_C.abs(kind.line(-center / tau, (M - 1 - center) / tau)))


def cosine(M, *, sym=True, **options):  # noqa: N803
    """sin(pi (n + 1/2) / M): half a wave."""
    kind = _Kind("cosine", M, **options)
    if M == 0:
        return kind.short()
    step = math.pi / (_period(M, sym) + 1)
    return _C.sin(kind.line(0.5 * step, (M - 0.5) * step))


def gaussian(M, *, std=1.0, sym=True, **options):  # noqa: N803
    """exp(-(n - middle)² / (2 std²))"""
    kind = _Kind("gaussian", M, **options)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return kind.short()
    start, step = -_period(M, sym) / 2.0, 1 / (std * math.sqrt(2))
    return _C.exp(-(kind.line(start * step, (start + M - 1) * step) ** 2))


def kaiser(M, *, beta=12.0, sym=True, **options):  # noqa: N803
    """i0(beta sqrt(1 - x²)) / i0(beta), x from -1 to 1."""
    kind = _Kind("kaiser", M, **options)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M <= 1:
        return kind.short()
    # As a number of the window's dtype: what is under the root is not below 0 then.
    width = _C.tensor(beta, dtype=kind.options["dtype"], device=kind.options["device"])
    end = _C.minimum(width, -width + (M - 1) * (2.0 * width / _period(M, sym)))
    x = kind.line(-width, end)
    return _C.i0(_C.sqrt(width * width - x**2)) / _C.i0(width)


def bartlett(M, *, sym=True, **options):  # noqa: N803
    """1 - |x|, x from -1 to 1: a triangle."""
    kind = _Kind("bartlett", M, **options)
    if M <= 1:
        return kind.short()
    return 1 - _C.abs(kind.line(-1, -1 + (M - 1) * (2 / _period(M, sym))))


def general_cosine(M, *, a, sym=True, **options):  # noqa: N803
    """The sum of (-1)^i a[i] cos(i x), x from 0 to 2 pi.

    Raises:
        TypeError: `a` is no list of numbers.
    """
    kind = _Kind("general_cosine", M, **options)
    if M <= 1:
        return kind.short()
    if not isinstance(a, Iterable):
        raise TypeError(f"Coefficients must be a list/tuple, got: {type(a).__name__}")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    x = kind.line(0, (M - 1) * (2 * math.pi / _period(M, sym)))
    signed = _C.tensor([(-1) ** i * w for i, w in enumerate(a)], **kind.options)
    waves = _C.arange(len(signed), **kind.options)
    return (signed.unsqueeze(-1) * _C.cos(waves.unsqueeze(-1) * x)).sum(0)


def general_hamming(M, *, alpha=0.54, sym=True, **options):  # noqa: N803
    """alpha - (1 - alpha) cos(x), x from 0 to 2 pi."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M, *, sym=True, **options):  # noqa: N803
    """0.54 - 0.46 cos(x), x from 0 to 2 pi."""
    return general_hamming(M, sym=sym, **options)


def hann(M, *, sym=True, **options):  # noqa: N803
    """0.5 - 0.5 cos(x), x from 0 to 2 pi."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M, *, sym=True, **options):  # noqa: N803
    """0.42 - 0.5 cos(x) + 0.08 cos(2 x), x from 0 to 2 pi."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M, *, sym=True, **options):  # noqa: N803
    """Four cosines, whose sidelobes are the least."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)
