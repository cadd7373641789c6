"""The functions of pointwise expressions, by the names that expressions have for them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

# Those that are not jax.numpy's of the same name.
_OTHER = {
    "negate": jnp.negative,
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
    "i0": special.i0,
    "i1": special.i1,
    "i0e": special.i0e,
    "i1e": special.i1e,
    "sigmoid": jax.nn.sigmoid,
    "pow": jnp.power,
}


def _shift(function, beyond):
    def shifted(x, y):
        inside = (y >= 0) & (y < jnp.iinfo(x.dtype).bits)
        return jnp.where(inside, function(x, jnp.where(inside, y, 0)), beyond(x))

    return shifted


class Vocabulary:
    """Of one call: numbers become arrays of the dtype that it computes in, `given` are its arguments.

    An expression is a function of one of these and of its arguments: arrays of that dtype, or of bool where
    only their truth is read.
    """

    def __init__(self, dtype, given):
        self.dtype, self._given = jnp.dtype(dtype), given
        self._whole = not jnp.issubdtype(self.dtype, jnp.floating)

    def __getattr__(self, name):
        return _OTHER.get(name) or getattr(jnp, name)

    def lit(self, value):
        if isinstance(value, bool):
            return np.bool_(value)
        return np.asarray(value).astype(self.dtype)

    def has_value(self, name):
        return np.bool_(self._given[name] is not None)

    def string_equals(self, name, text):
        return np.bool_(self._given[name] == text)

    def select(self, mask, yes, no):
        return jnp.where(mask, yes, no)

    def to_value(self, mask):
        return jnp.asarray(mask).astype(self.dtype)

    def to_boolean(self, value):
        return value if value.dtype == jnp.bool_ else value != 0

    def square(self, x):
        return x * x

    def relu(self, x):
        return jnp.where(x <= 0, jnp.zeros_like(x), x)

    def trigamma(self, x):
        return special.polygamma(1, x)

    def polygamma(self, n, x):
        return jnp.where(n == 0, special.digamma(x), special.polygamma(jnp.maximum(n, 1), x))

    def shift_left(self, x, y):
        return _shift(jnp.left_shift, jnp.zeros_like)(x, y)

    def shift_right(self, x, y):
        return _shift(jnp.right_shift, lambda v: jnp.where(v < 0, -jnp.ones_like(v), 0))(x, y)

    # Whole numbers that are divided by zero give 0, or all of what is divided.
    def _safe(self, y):
        return jnp.where(y == 0, jnp.ones_like(y), y) if self._whole else y

    def trunc_div(self, x, y):
        if not self._whole:
            return jnp.trunc(x / y)
        return jnp.where(y == 0, 0, lax.div(*jnp.broadcast_arrays(x, self._safe(y))))

    def fmod(self, x, y):
        return jnp.where(y == 0, x, jnp.fmod(x, self._safe(y))) if self._whole else jnp.fmod(x, y)

    def remainder(self, x, y):
        if not self._whole:
            return jnp.remainder(x, y)
        return jnp.where(y == 0, x, jnp.remainder(x, self._safe(y)))

    def floor_div(self, x, y):
        if self._whole:
            return jnp.where(y == 0, 0, jnp.floor_divide(x, self._safe(y)))
        return jnp.where(y == 0, x / y, jnp.floor_divide(x, y))
