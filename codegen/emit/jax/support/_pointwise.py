"""Operators of elements: the dtype that they compute in, and how their expression is evaluated in it."""

import jax
import jax.numpy as jnp

from ._operator import Operator
from ._vocabulary import Vocabulary


def _is_number(value):
    """Python's numbers, and what JAX made of them: they decide of what kind a result is, and of no width."""
    return jax.typeof(value).weak_type


def _default():
    return jnp.result_type(float)


def _dtype_of(value):
    dtype = jnp.result_type(value)
    if not _is_number(value) or dtype == jnp.bool_:
        return dtype
    return jnp.result_type(int) if jnp.issubdtype(dtype, jnp.integer) else _default()


def _category(value):
    """Which operands decide before others: arrays with dimensions, those without, numbers."""
    if _is_number(value):
        return "number"
    return "dim" if jnp.ndim(value) else "zero"


def _combined(higher, lower):
    """Of a category and those below it, which count where they are of another kind."""
    if jnp.issubdtype(higher, jnp.floating):
        return higher
    if higher == jnp.bool_ or jnp.issubdtype(lower, jnp.floating):
        return jnp.promote_types(higher, lower)
    return higher


def promoted(values):
    """The dtype of several: within a category all count alike, and of a lower one only the kind."""
    dtypes = {}
    for value in values:
        category, dtype = _category(value), _dtype_of(value)
        dtypes[category] = jnp.promote_types(dtypes.get(category, dtype), dtype)
    result = None
    for category in ("number", "zero", "dim"):
        if category in dtypes:
            dtype = dtypes[category]
            result = dtype if result is None else _combined(dtype, result)
    return result


class Pointwise(Operator):
    """An expression over arrays that broadcast: a function of a vocabulary and of elements.

    Args:
        compute: how the dtype is found, of the `tensors` that are no `masks` and of the `promoting` numbers.
        dtypes: names of those in which it computes.
        masks: tensors of which the truth is read alone.
        is_test: whether it gives truth values.
    """

    def __init__(
        self, function, name, *, compute, dtypes, tensors, masks=(), promoting=(), is_test=False, **more
    ):  # fmt: skip
        super().__init__(function, name, tensors, **more)
        self.how, self.dtypes, self.masks, self.is_test = compute, dtypes, frozenset(masks), is_test
        self.deciding = [name for name in tensors if name not in self.masks]
        self.promoting = promoting

    def compute(self, given):
        """The result; 16-bit floats are computed with as 32-bit ones, as in Opweave's own kernels."""
        values = given.by_name()
        given_tensors = [name for name in self.tensors if values[name] is not None]
        arrays = {name: jnp.asarray(values[name]) for name in given_tensors}
        numbers = [values[name] for name in self.promoting if values[name] is not None]
        dtype = self._dtype([arrays[name] for name in self.deciding if name in arrays], numbers)
        narrow = dtype in (jnp.float16, jnp.bfloat16)
        words = Vocabulary(jnp.float32 if narrow else dtype, values)
        operands = [self._operand(name, arrays.get(name, v), words) for name, v in values.items()]
        shape = jnp.broadcast_shapes(*(array.shape for array in arrays.values()))
        found = jnp.broadcast_to(jnp.asarray(self.function(words, *operands)), shape)
        return found.astype(bool if self.is_test else dtype)

    def _operand(self, name, value, words):
        if isinstance(value, str):
            return value
        # One that was not given is not read.
        value = jnp.asarray(False if value is None else value)
        return value.astype(bool if name in self.masks else words.dtype)

    def _dtype(self, tensors, numbers):
        """What a call computes in.

        Raises:
            TypeError: tensors are of several dtypes, and the operator takes them of one.
            NotImplementedError: it does not compute in that dtype.
        """
        values = tensors[:1] if self.how == "first" else [*tensors, *numbers]
        dtype = promoted(values)
        if self.how == "int_to_float" and not jnp.issubdtype(dtype, jnp.inexact):
            dtype = _default()
        for other in tensors if self.how == "same" else []:
            if not _is_number(other) and other.dtype != dtype:
                raise TypeError(
                    f"{self.name}(): expected tensors of one dtype, got {dtype} and {other.dtype}"
                )
        if dtype.name not in self.dtypes:
            raise NotImplementedError(f'"{self.name}" not implemented for {dtype.name}')
        return dtype


def pointwise(name, **more):
    """Makes an operator of the expression that follows."""
    return lambda function: Pointwise(function, name, **more)
