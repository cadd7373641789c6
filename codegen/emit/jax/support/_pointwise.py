"""Operators of elements: the dtype that they compute in, and how their expression is evaluated in it."""

import jax.numpy as jnp

from ._operator import Operator
from ._promotion import default, is_number, promoted
from ._rule import type_name
from ._vocabulary import Vocabulary


class Pointwise(Operator):
    """An expression over arrays that broadcast: a function of a vocabulary and of elements.

    Args:
        compute: how the dtype is found, of the tensors that are no `masks` and of the `promoting` numbers.
        dtypes: names of those in which it computes.
        masks: tensors of which the truth is read alone.
        is_test: whether it gives truth values.
    """

    def __init__(
        self, function, name, types, *, compute, dtypes, masks=(), promoting=(), is_test=False, **more
    ):  # fmt: skip
        super().__init__(function, name, types, **more)
        self.how, self.dtypes, self.masks, self.is_test = compute, dtypes, frozenset(masks), is_test
        self.deciding = [n for n in self.tensors if n not in self.masks]
        self.promoting = promoting

    def compute(self, given):
        """The result; 16-bit floats are computed with as 32-bit ones, as in Opweave's own kernels."""
        values = given.by_name()
        arrays = {n: values[n] for n in self.tensors if values[n] is not None}
        numbers = [values[n] for n in self.promoting if values[n] is not None]
        dtype = self._dtype([arrays[n] for n in self.deciding if n in arrays], numbers)
        narrow = dtype in (jnp.float16, jnp.bfloat16)
        words = Vocabulary(jnp.float32 if narrow else dtype, values)
        operands = [self._operand(name, v, words) for name, v in values.items()]
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
        """What a call computes in; in truth values where nothing else decides.

        Raises:
            TypeError: tensors are of several dtypes, and the operator takes them of one.
            NotImplementedError: it does not compute in that dtype.
        """
        values = tensors[:1] if self.how == "first" else [*tensors, *numbers]
        dtype = promoted(values) if values else jnp.dtype(bool)
        if self.how == "int_to_float" and not jnp.issubdtype(dtype, jnp.inexact):
            dtype = default()
        for other in tensors if self.how == "same" else []:
            if not is_number(other) and other.dtype != dtype:
                raise TypeError(
                    f"{self.name}(): expected tensors of one dtype, got {dtype} and {other.dtype}"
                )
        if dtype.name not in self.dtypes:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{type_name(dtype)}'")
        return dtype


def pointwise(name, types, **more):
    """Makes an operator of the expression that follows."""
    return lambda function: Pointwise(function, name, types, **more)
