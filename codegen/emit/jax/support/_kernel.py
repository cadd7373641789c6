"""Operators with handwritten kernels: calls of XLA's foreign functions, whose results a rule describes."""

import math
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

from . import _rule
from ._operator import Operator

# The numbers of dtypes in csrc/opweave/kernel.h.
_CODES = {name: code for code, name in enumerate(_rule._CPP_NAMES)}


def _attribute(value):
    """A constant as XLA hands it on: 64 bits, whatever Python has."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return np.int64(value)
    if isinstance(value, float):
        return np.float64(value)
    real = any(isinstance(item, float) for item in value)
    return np.asarray(value, np.float64 if real else np.int64)


def _reals(attributes):
    for value in attributes:
        if isinstance(value, np.float64 | np.ndarray) and value.dtype == np.float64:
            yield from np.ravel(value)


class Kernel(Operator):
    """A kernel for the CPU, by its name in the library.

    Args:
        function: the rule: what a call requires, and what results look like.
        target: the kernel's name.
        batching: how it runs on a batch: "leading" (whatever stands in front is one), "pointwise" (its
            arrays broadcast), "dims" (`dims` are arguments that name dimensions of the first array), "loop",
            "none", or "example" and "batch": by the formula that `batched` registers.
        several: whether it gives a tuple.
    """

    def __init__(
        self, function, name, types, *, target, batching, dims=(), several=False, **more
    ):  # fmt: skip
        super().__init__(function, name, types, **more)
        self.target, self.batching, self.dims = target, batching, dims
        self.several, self.formula = several, None

    def batched(self, formula):
        """Registers the formula of a batch: f(arguments)."""
        self.formula = formula

    def compute(self, given):
        values = given.by_name()
        for name in self.tensors:
            _rule.check_dtype(self.name, name, values[name], _CODES)
        looks = self.function(**values)
        for look in looks:
            look.check()
        method = self._align(values)
        call = _Call(self, values, looks, method)
        arrays = jax.tree_util.tree_leaves([values[name] for name in self.tensors])
        found = call.run(arrays)
        return tuple(found) if self.several else found[0]

    def code(self, dtype):
        """The number by which kernels know a dtype.

        Raises:
            NotImplementedError: they do not know it.
        """
        name = jnp.dtype(dtype).name
        if name not in _CODES:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{name}'")
        return _CODES[name]

    def _align(self, values):
        """Makes arguments mean the same when more stands in front; how a batch runs then."""
        if self.batching == "none":
            return None
        if self.batching == "pointwise":
            arrays = jax.tree_util.tree_leaves([values[name] for name in self.tensors])
            rank = max(array.ndim for array in arrays)
            for name in self.tensors:
                values[name] = jax.tree_util.tree_map(
                    lambda v: v.reshape((1,) * (rank - v.ndim) + v.shape), values[name]
                )
        at_once = self.batching in ("leading", "pointwise") or (
            self.batching == "dims" and self._count_from_the_end(values)
        )
        return "broadcast_all" if at_once else "sequential"

    def _count_from_the_end(self, values):
        """Dimensions as negative numbers, which stay right. Whether that is all there is to it."""
        rank, counted = values[self.tensors[0]].ndim, {}
        arrays = jax.tree_util.tree_leaves([values[name] for name in self.tensors])
        if any(array.ndim != rank for array in arrays):
            return False
        for name in self.dims:
            dims = values[name]
            one = isinstance(dims, int)
            if not rank or dims is None or (not one and not dims):
                return False
            wrapped = tuple(_rule.wrap(d, rank) - rank for d in ([dims] if one else dims))
            counted[name] = wrapped[0] if one else wrapped
        values.update(counted)
        return True


class _Call:
    """One call, of the arrays of its arguments one after the other."""

    def __init__(self, kernel, values, looks, method):
        self.kernel, self.values, self.method = kernel, values, method
        self.looks = [(tuple(look.shape), jnp.dtype(look.dtype)) for look in looks]

    def run(self, arrays):
        return self._by_formula(arrays) if self.kernel.formula else self(*arrays)

    def _constants(self):
        kernel, found = self.kernel, {}
        for name in kernel.constants:
            value = self.values[name]
            if value is not None:
                is_dtype = kernel.arguments[name].base == "ScalarType"
                found[name] = _attribute(kernel.code(value) if is_dtype else value)
        # What JAX keeps of a program it finds by what is equal, which 0.0 and -0.0 are.
        if signs := [math.copysign(1, x) < 0 for x in _reals(found.values()) if x == 0]:
            found["ow_signs"] = np.asarray(signs, np.int64)
        # How many arrays each argument has: one, as many as a list has, or none.
        counts = [len(jax.tree_util.tree_leaves(self.values[name])) for name in kernel.tensors]
        found["ow_counts"] = np.asarray(counts, np.int64)
        codes = np.asarray([kernel.code(dtype) for _, dtype in self.looks], np.int64)
        if any(_rule.canonical(dtype) != dtype for _, dtype in self.looks):
            found["ow_dtypes"] = codes
        return found

    def __call__(self, *arrays):
        constants = self._constants()
        shapes = [jax.ShapeDtypeStruct(shape, _rule.canonical(d)) for shape, d in self.looks]
        call = jax.ffi.ffi_call(self.kernel.target, shapes, vmap_method=self.method)
        return call(*arrays, **constants)

    def _by_formula(self, arrays):
        """The same, where a batch runs by the formula."""
        tree = jax.tree_util.tree_structure([self.values[name] for name in self.kernel.tensors])
        constants = {name: self.values[name] for name in self.kernel.constants}

        def formula(*given):
            named = dict(zip(self.kernel.tensors, jax.tree_util.tree_unflatten(tree, given)))
            found = self.kernel.formula(SimpleNamespace(**named, **constants))
            return list(found) if self.kernel.several else [found]

        def batch(size, batched, *given):
            axes = [0 if is_batched else None for is_batched in batched]
            if self.kernel.batching == "example":
                found = jax.vmap(formula, in_axes=axes)(*given)
            else:
                found = formula(*(_in_front(v, a, size) for v, a in zip(given, axes, strict=True)))
            return found, [True] * len(found)

        call = jax.custom_batching.custom_vmap(self)
        call.def_vmap(batch)
        return call(*arrays)


def _in_front(value, axis, size):
    return value if axis == 0 else jnp.broadcast_to(value, (size, *value.shape))


def kernel(name, types, **more):
    """Makes an operator of the rule that follows."""
    return lambda function: Kernel(function, name, types, **more)
