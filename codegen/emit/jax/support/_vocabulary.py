"""The functions of pointwise expressions, by the names that expressions have for them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special


def polygamma(n, x):
    """Of orders from 0 on. JAX's has no value left of 0, where the first two of them have one.

    What is not chosen is computed of another number: gradients of it may be infinite.
    """
    left, right = jnp.where(x < 0.5, x, 0.25), jnp.where(x < 0.5, 1 - x, x)
    trigamma = special.polygamma(1, right)
    turned = jnp.square(jnp.pi / jnp.sin(jnp.pi * left)) - trigamma
    digamma = special.digamma(jnp.where(n == 0, x, 1))
    higher = special.polygamma(jnp.maximum(n, 2), jnp.where(n < 2, 1, x))
    first = jnp.where(x < 0.5, turned, trigamma)
    return jnp.where(n == 0, digamma, jnp.where(n == 1, first, higher))


def _floor_div(x, y):
    return jnp.where(y == 0, x / y, jnp.floor_divide(x, y))


# Those that are not jax.numpy's of the same name.
_OTHER = {
    "negate": jnp.negative,
    "sign": lambda x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype),  # 0 of NaN
    "bit_and": jnp.bitwise_and,
    "bit_or": jnp.bitwise_or,
    "bit_xor": jnp.bitwise_xor,
    "bit_not": jnp.bitwise_not,
    "rsqrt": lax.rsqrt,
    "asin": jnp.arcsin,
    "acos": jnp.arccos,
    "atan": jnp.arctan,
    "asinh": jnp.arcsinh,
    "acosh": jnp.arccosh,
    "atanh": jnp.arctanh,
    "atan2": jnp.arctan2,
    "erf": special.erf,
    "erfc": special.erfc,
    "erfinv": special.erfinv,
    "lgamma": special.gammaln,
    "digamma": special.digamma,
    "trigamma": lambda x: polygamma(1, x),
    "polygamma": polygamma,
    "i0": special.i0,
    "i1": special.i1,
    "i0e": special.i0e,
    "i1e": special.i1e,
    "sigmoid": jax.nn.sigmoid,
    "pow": jnp.power,
    "square": lambda x: x * x,
    "relu": lambda x: jnp.where(x < 0, jnp.zeros_like(x), x),
    "trunc_div": lambda x, y: jnp.trunc(x / y),
    "floor_div": _floor_div,
    "select": jnp.where,
}


def _same(x):
    return x


def _of_whole(function, by_zero):
    """A division, by what is not zero: what is divided by zero gives `by_zero` of it."""

    def divided(x, y):
        x, y = jnp.broadcast_arrays(x, y)
        return jnp.where(y == 0, by_zero(x), function(x, jnp.where(y == 0, jnp.ones_like(y), y)))

    return divided


def _shift(function, beyond):
    def shifted(x, y):
        inside = (y >= 0) & (y < jnp.iinfo(x.dtype).bits)
        return jnp.where(inside, function(x, jnp.where(inside, y, 0)), beyond(x))

    return shifted


def _power(x, y):
    """Products that wrap around; of negative powers only those of 1 and -1 are whole."""
    x, y = jnp.broadcast_arrays(x, y)
    one = jnp.ones_like(x)
    odd = (y % 2) != 0
    inverse = jnp.where(x == 1, one, jnp.where((x < 0) & (x == -one), jnp.where(odd, -one, one), 0))

    def times(_, state):
        result, base, left = state
        return jnp.where(left % 2 != 0, result * base, result), base * base, left // 2

    positive = jnp.where(y < 0, 0, y)
    result, _, _ = lax.fori_loop(0, jnp.iinfo(x.dtype).bits, times, (one, x, positive))
    return jnp.where(y < 0, inverse, result)


# Of whole numbers, which stay whole.
_WHOLE = {
    "floor": _same,
    "ceil": _same,
    "round": _same,
    "trunc": _same,
    "pow": _power,
    "hypot": lambda x, y: jnp.hypot(x, y).astype(x.dtype),
    "trunc_div": _of_whole(lax.div, jnp.zeros_like),
    "floor_div": _of_whole(jnp.floor_divide, jnp.zeros_like),
    "fmod": _of_whole(jnp.fmod, _same),
    "remainder": _of_whole(jnp.remainder, _same),
    "gcd": lambda x, y: jnp.abs(jnp.gcd(x, y)),
    "shift_left": _shift(jnp.left_shift, jnp.zeros_like),
    "shift_right": _shift(jnp.right_shift, lambda v: jnp.where(v < 0, -jnp.ones_like(v), 0)),
}
# What truth values are numbers in.
_ARITHMETIC = {"add", "subtract", "multiply", "negate", "abs", "sign", "square", "relu", *_WHOLE}


def _of_truth(function):
    """Arithmetic of 0 and 1, of which everything but 0 is true."""
    return lambda *values: function(*(v.astype(jnp.uint8) for v in values)) != 0


class Vocabulary:
    """Of one call: numbers become arrays of the dtype that it computes in, `given` are its arguments.

    An expression is a function of one of these and of its arguments: arrays of that dtype, or of bool where
    only their truth is read.
    """

    def __init__(self, dtype, given):
        self.dtype, self._given = jnp.dtype(dtype), given
        self._own = {} if jnp.issubdtype(self.dtype, jnp.floating) else _WHOLE

    def __getattr__(self, name):
        function = self._own.get(name) or _OTHER.get(name) or getattr(jnp, name)
        return _of_truth(function) if self.dtype == jnp.bool_ and name in _ARITHMETIC else function

    def lit(self, value):
        if isinstance(value, bool):
            return np.bool_(value)
        whole = jnp.issubdtype(self.dtype, jnp.integer)  # it wraps, as parameters do
        return np.asarray(int(value) if whole else value).astype(self.dtype)

    def has_value(self, name):
        return np.bool_(self._given[name] is not None)

    def string_equals(self, name, text):
        return np.bool_(self._given[name] == text)

    def to_value(self, mask):
        return jnp.asarray(mask).astype(self.dtype)

    def to_boolean(self, value):
        return value if value.dtype == jnp.bool_ else value != 0
