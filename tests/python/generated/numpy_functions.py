"""The elementwise functions of expressions in NumPy and the math module, in float64: independent of every
kernel. Names are those of the expression language."""

import math

import numpy as np


def _each(function, out=np.float64):
    return np.vectorize(function, otypes=[out])


def _guarded(function, x, otherwise=math.nan):
    try:
        return function(x)
    except (ValueError, OverflowError):
        return otherwise


def _digamma(x):
    """Recurrence and asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    if x == 0:
        return -math.copysign(math.inf, x)
    if not math.isfinite(x):
        return x if x > 0 else math.nan
    if x < 0 and x == math.floor(x):
        return math.nan
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * x)
    result = 0.0
    while x < 12:
        result -= 1 / x
        x += 1
    y = 1 / (x * x)
    return result + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))


def _trigamma(x):
    """The same for its derivative (6.4.6, 6.4.7, 6.4.12)."""
    if x <= 0 and x == math.floor(x):
        return math.inf
    if x < 0:
        return (math.pi / math.sin(math.pi * x)) ** 2 - _trigamma(1 - x)
    result = 0.0
    while x < 14:
        result += 1 / (x * x)
        x += 1
    y = 1 / (x * x)
    return result + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))


def _polygamma(n, x):
    """The terms of its sum one by one, and what is left by the trapezoidal rule and its correction."""
    if n < 2:
        return _trigamma(x) if n == 1 else _digamma(x)
    if x <= 0 and x == math.floor(x):
        return math.copysign(math.inf, n % 2 - 0.5)
    terms = [(x + k) ** -(n + 1) for k in range(200)]
    y = x + 200
    terms += [y**-n / n, y ** -(n + 1) / 2, (n + 1) * y ** -(n + 2) / 12]
    return math.factorial(int(n)) * math.fsum(terms) * (1 if n % 2 else -1)


def _bessel(order):
    """exp(|x|) of the integral of exp(|x| (cos t - 1)) cos(order t) over half a turn, as a sum, which
    converges faster than any power (9.6.19); without the exponential if it is scaled."""
    turn = (np.arange(2000) + 0.5) * (math.pi / 2000)

    def scaled(x):
        if math.isnan(x):
            return x
        if math.isinf(x):
            return math.copysign(0.0, x) if order else 0.0
        found = np.mean(np.exp(abs(x) * (np.cos(turn) - 1)) * np.cos(order * turn))
        return float(found) * (math.copysign(1, x) if order else 1)

    def whole(x):
        return (
            x
            if math.isnan(x) or (math.isinf(x) and order)
            else scaled(x) * math.exp(abs(x))
            if abs(x) < 700
            else math.copysign(math.inf, x if order else 1)
        )

    return whole, scaled


def _erfinv(y):
    """Newton's method on erf, from a rough start."""
    if not abs(y) < 1 or y == 0:
        return y if y == 0 else math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    x = 0.0
    for _ in range(100):
        step = (math.erf(x) - y) / (2 / math.sqrt(math.pi) * math.exp(-x * x))
        x -= max(-0.5, min(0.5, step))
    return x


add, multiply = np.add, np.multiply
divide, remainder, negate = np.true_divide, np.mod, np.negative
equal, not_equal = np.equal, np.not_equal
logical_and, logical_or, logical_not = np.logical_and, np.logical_or, np.logical_not
exp, exp2, expm1 = np.exp, np.exp2, np.expm1
log, log2, log10, log1p, sqrt = np.log, np.log2, np.log10, np.log1p, np.sqrt
sin, cos, tan, asin, acos, atan = np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan
sinh, cosh, tanh = np.sinh, np.cosh, np.tanh
asinh, acosh, atanh = np.arcsinh, np.arccosh, np.arctanh
floor, ceil, round, trunc = np.floor, np.ceil, np.rint, np.trunc
abs_ = np.abs
sign, square, conj = np.sign, np.square, np.conj
atan2, hypot, fmod = np.arctan2, np.hypot, np.fmod
maximum, minimum, copysign = np.maximum, np.minimum, np.copysign
isinf, isfinite = np.isinf, np.isfinite
erf, erfc = _each(math.erf), _each(math.erfc)
erfinv, digamma, trigamma = _each(_erfinv), _each(_digamma), _each(_trigamma)
polygamma = _each(_polygamma)
(i0, i0e), (i1, i1e) = (map(_each, _bessel(order)) for order in (0, 1))
lgamma = _each(lambda x: _guarded(math.lgamma, x, math.inf))  # at its poles, and where it overflows


def _unless_absent(function, absent):
    """`absent` if an argument was not given: the reference computes both sides of every condition."""
    return lambda *args: absent if any(a is None for a in args) else function(*args)


less, less_equal = _unless_absent(np.less, False), _unless_absent(np.less_equal, False)
greater, greater_equal = _unless_absent(np.greater, False), _unless_absent(np.greater_equal, False)
isnan = _unless_absent(np.isnan, False)
subtract = _unless_absent(np.subtract, None)


def select(condition, a, b):
    """`a` where the condition holds; an argument that was not given is never chosen."""
    if a is None or b is None:
        assert not np.any(condition) if a is None else np.all(condition)
        return b if a is None else a
    return np.where(condition, a, b)


def pow(a, b):
    return np.power(np.asarray(a, np.float64), b)


def rsqrt(x):
    return 1 / np.sqrt(x)


def reciprocal(x):
    return 1 / np.asarray(x, np.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def relu(x):
    return np.where(np.isnan(x), x, np.maximum(x, 0))


def to_value(x):
    return np.asarray(x, np.float64)


def to_boolean(x):
    return np.asarray(x) != 0


def floor_div(a, b):
    return np.floor_divide(a, b)


def trunc_div(a, b):
    return np.trunc(np.true_divide(a, b))


def _whole(x):
    """Numbers of expressions are floats, of which bits are taken as of whole numbers."""
    x = np.asarray(x)
    return x.astype(np.int64) if x.dtype.kind == "f" else x


def bit_and(a, b):
    return np.bitwise_and(_whole(a), _whole(b))


def bit_or(a, b):
    return np.bitwise_or(_whole(a), _whole(b))


def bit_xor(a, b):
    return np.bitwise_xor(_whole(a), _whole(b))


def bit_not(a):
    return np.invert(_whole(a))


def gcd(a, b):
    return np.gcd(_whole(a), _whole(b))


def shift_left(a, b):
    return np.left_shift(_whole(a), _whole(b))


def shift_right(a, b):
    return np.right_shift(_whole(a), _whole(b))


globals()["abs"] = abs_
