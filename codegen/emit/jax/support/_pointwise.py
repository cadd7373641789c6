"""Operators of elements: the dtype that they compute in, and how their expression is evaluated in it."""

import jax
import jax.numpy as jnp

from ._operator import Operator
from ._promotion import check_fits, default, is_number, promoted
from ._rule import check_dtype, type_name
from ._vocabulary import Vocabulary


class Pointwise(Operator):
    """An expression over arrays that broadcast: a function of a vocabulary and of elements.

    Args:
        compute: how the dtype is found, of the tensors that are no `masks` and of the `promoting` numbers.
        dtypes: names of those in which it computes.
        masks: tensors of which the truth is read alone.
        accepts: dtypes of tensors that may not be of all, by name.
        exact: tensors that are not rounded to a dtype of 16 bits where they are one number, and `rounded`
            the numbers that are.
        factors: numbers that have to have a place in the dtype of computation, and `elements` those that
            have to in the dtype of the result, which they may be; of `one_elements`, which stand for an
            array of one, those beyond a float of 16 bits are infinite.
        is_test: whether it gives truth values.
    """

    def __init__(
        self, function, name, types, *, compute, dtypes, masks=(), promoting=(), accepts=None, exact=(),
        rounded=(), factors=(), elements=(), one_elements=(), is_test=False, **more,
    ):  # fmt: skip
        super().__init__(function, name, types, **more)
        self.how, self.dtypes, self.masks, self.is_test = compute, dtypes, frozenset(masks), is_test
        self.deciding = [n for n in self.tensors if n not in self.masks]
        self.promoting, self.accepts = promoting, accepts or {}
        self.exact, self.rounded, self.elements = set(exact), set(rounded), set(elements)
        limited = (*factors, *elements, *one_elements)
        self.factors = set(factors)
        self.limited = [(i, n) for i, n in enumerate(self.arguments) if n in limited]
        if self.limited:
            self._unchecked, self.run = self.run, self._checked

    def __call__(self, *values):
        self._check_numbers(values)
        return super().__call__(*values)

    def _checked(self, *values):
        self._check_numbers(values)
        return self._unchecked(*values)

    def _check_numbers(self, values):
        """RuntimeError for a number that has no place where it is used, of those that JAX does not trace."""
        limited = [(n, values[i]) for i, n in self.limited if _may_be_too_large(values[i])]
        if not limited:
            return
        # Of which kind they are is all that a dtype takes of numbers, which JAX may not have itself.
        kinds = [type(v)(0) if isinstance(v, bool | int | float) else v for v in values]
        dtype = self._common(self._given(kinds).by_name())
        for name, value in limited:
            if (place := self._place_of(name, dtype)) is not None:
                check_fits(value, place)

    def _place_of(self, name, dtype):
        """The dtype that a number has to have a place in; None where it becomes infinite instead."""
        if name in self.elements:
            return dtype
        computing = _computing(dtype)
        return computing if name in self.factors or computing == dtype else None

    def _common(self, values):
        """The dtype of a call."""
        for name, dtypes in self.accepts.items():
            check_dtype(self.name, name, values[name], dtypes)
        arrays = [values[n] for n in self.deciding if values[n] is not None]
        return self._dtype(arrays, [values[n] for n in self.promoting if values[n] is not None])

    def compute(self, given):
        """The result; 16-bit floats are computed with as 32-bit ones, as in Opweave's own kernels."""
        values = given.by_name()
        arrays = {n: values[n] for n in self.tensors if values[n] is not None}
        dtype = self._common(values)
        words = Vocabulary(_computing(dtype), values)
        operands = [self._operand(name, v, words, dtype) for name, v in values.items()]
        shape = jnp.broadcast_shapes(*(array.shape for array in arrays.values()))
        found = jnp.broadcast_to(jnp.asarray(self.function(words, *operands)), shape)
        return found.astype(bool if self.is_test else dtype)

    def _operand(self, name, value, words, dtype):
        if isinstance(value, str):
            return value
        # One that was not given is not read.
        value = jnp.asarray(False if value is None else value)
        if name in self.masks:
            return value.astype(bool)
        rounds = name in self.rounded
        if name in self.tensors:
            rounds = value.dtype != dtype and (value.size != 1 or name not in self.exact)
        value = value.astype(words.dtype)
        return _rounded(value, dtype) if rounds and words.dtype != dtype else value

    def _dtype(self, tensors, numbers):
        """What a call computes in; in truth values where nothing else decides.

        Raises:
            TypeError: tensors are of several dtypes, and the operator takes them of one.
            NotImplementedError: it does not compute in that dtype.
        """
        values = tensors[:1] if self.how == "first" else [*tensors, *numbers]
        dtype = promoted(values) if values else jnp.dtype(bool)
        for other in tensors if self.how == "same" else []:
            if not is_number(other) and other.dtype != dtype:
                raise TypeError(
                    f"{self.name}(): expected tensors of one dtype, got {dtype} and {other.dtype}"
                )
        if dtype.name not in self.dtypes:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{type_name(dtype)}'")
        if self.how == "int_to_float" and not jnp.issubdtype(dtype, jnp.inexact):
            return default()
        return dtype


def _computing(dtype):
    """16-bit floats are computed with as 32-bit ones."""
    return jnp.dtype(jnp.float32) if dtype in (jnp.float16, jnp.bfloat16) else dtype


def _may_be_too_large(value):
    known = isinstance(value, bool | int | float)
    return known and not 0 <= value < 128


def _rounded(value, dtype):
    """As a dtype of 16 bits has it; a cast there and back XLA leaves out."""
    info = jnp.finfo(dtype)
    return jax.lax.reduce_precision(value, exponent_bits=info.nexp, mantissa_bits=info.nmant)


def pointwise(name, types, **more):
    """Makes an operator of the expression that follows."""
    return lambda function: Pointwise(function, name, types, **more)
