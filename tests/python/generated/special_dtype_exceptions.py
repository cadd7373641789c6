"""Where pointwise operators differ from their expression in NumPy at special values, and why: which points,
and the reason."""

import math

_LARGE = 1e4


def _zeros(point):
    return any(x == 0 for x in point)


def _large(point):
    return any(abs(x) > _LARGE for x in point)


EXCEPTIONS = {
    "sign": (lambda p: math.isnan(p[0]), "0 for NaN, as in PyTorch"),
    "relu": (_zeros, "-0 stays what it is, as in PyTorch"),
    "remainder.Tensor": (
        lambda p: True,
        "a rest of zero keeps the sign of what is divided, as in PyTorch",
    ),
    "remainder.Scalar": (lambda p: True, "the same; and the number is rounded to the dtype"),
    "remainder.Scalar_Tensor": (lambda p: True, "the same"),
    "fmod.Scalar": (_large, "the number is rounded to the dtype"),
    "sinc": (
        lambda p: p[0] in (-2, -1, 1, 2) or _large(p),
        "π is rounded to the dtype, as in PyTorch",
    ),
    # Beyond their reference, which adds up parts of an integral.
    "special_i0e": (_large, "too wide for the integral's parts"),
    "special_i1e": (
        lambda p: _large(p) or abs(p[0]) < 1e-4,
        "too wide or too narrow for the integral's parts",
    ),
    "special_i1": (lambda p: abs(p[0]) < 1e-4, "too narrow for the integral's parts"),
}
