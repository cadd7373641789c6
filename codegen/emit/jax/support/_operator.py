"""Operators: calls that JAX traces and batches, and differentiates by their formulas."""

import inspect

import jax
import numpy as np

from ._derivatives import derived


@jax.tree_util.register_pytree_node_class
class Given:
    """The arguments of a call: those that JAX knows of are its leaves, the others part of what is traced."""

    def __init__(self, operator, arrays, others):
        self.operator, self.arrays, self.others = operator, arrays, others

    def tree_flatten(self):
        return self.arrays, (self.operator, self.others)

    @classmethod
    def tree_unflatten(cls, fixed, arrays):
        return cls(fixed[0], tuple(arrays), fixed[1])

    def leaves(self):
        return dict(zip(self.operator.leaves, self.arrays, strict=True))

    def by_name(self):
        """In the order of the schema."""
        found = self.leaves() | dict(zip(self.operator.constants, self.others, strict=True))
        return {name: found[name] for name in self.operator.parameters}


class Operator:
    """A call by position, in the order of the schema.

    Args:
        function: computes it, of arguments by the names of the schema.
        name: as errors have it.
        tensors: names of the arguments that are arrays, lists of them or None.
        numbers: those of numbers that JAX may trace. All others are constants of a trace.
        keeps: names of the tensors whose elements formulas read; `keeps_results`: numbers of results.
        differentiable: by "formulas" (registered by `gradient` and `tangent`), "through" what it is made of,
            or "no".
    """

    def __init__(
        self, function, name, tensors, numbers=(), keeps=(), keeps_results=(), differentiable="through"
    ):  # fmt: skip
        self.function, self.name = function, name
        self.parameters = tuple(p for p in inspect.signature(function).parameters if p != "ow_m")
        self.tensors, self.leaves = tuple(tensors), (*tensors, *numbers)
        self.constants = tuple(p for p in self.parameters if p not in self.leaves)
        self.keeps, self.keeps_results = frozenset(keeps), frozenset(keeps_results)
        self.differentiable = differentiable
        self.gradients, self.tangents, self.is_linear, self.is_elementwise = [], [], False, False
        self._custom = jax.custom_jvp(self.compute)
        self._custom.defjvp(self._derived, symbolic_zeros=True)
        places = [i for i, name in enumerate(self.parameters) if name in self.constants]
        self._compiled = jax.jit(lambda *values: self(*values), static_argnums=places)
        self.run = self._run if places else self._compiled

    def __call__(self, *values):
        return self._differentiated(self._given(values))

    def _run(self, *values):
        """The same, compiled: what programs call."""
        return self._compiled(*map(self._fixed, self.parameters, values))

    def _given(self, values):
        found = dict(zip(self.parameters, map(self._fixed, self.parameters, values), strict=True))
        return Given(
            self,
            tuple(found[name] for name in self.leaves),
            tuple(found[name] for name in self.constants),
        )

    def _fixed(self, name, value):
        return self._constant(name, value) if name in self.constants else value

    def _constant(self, name, value):
        if isinstance(value, jax.Array):
            raise TypeError(
                f"{self.name}(): argument '{name}' has to be known when the call is traced, got {value}: "
                "jax.jit has static_argnames for such arguments"
            )
        if isinstance(value, list | tuple):
            return tuple(self._constant(name, item) for item in value)
        return value.item() if isinstance(value, np.generic) else value

    def compute(self, given):
        return self.function(**given.by_name())

    def _differentiated(self, given):
        if self.differentiable == "formulas":
            return self._custom(given)
        if self.differentiable == "no":
            given = jax.tree_util.tree_map(jax.lax.stop_gradient, given)
        return self.compute(given)

    def _derived(self, primals, tangents):
        (given,), (moved,) = primals, tangents
        found = self._differentiated(given)
        made = derived(self, given, found, moved)
        return found, tuple(made) if isinstance(found, tuple) else made[0]

    def gradient(self, *inputs):
        """Registers the formula of gradients of arguments: f(arguments, gradients of results, results)."""
        return lambda formula: self.gradients.append((inputs, formula))

    def tangent(self, output, *inputs):
        """Registers a term of the tangent of a result: f(arguments, tangents of arguments, results)."""
        return lambda formula: self.tangents.append((output, inputs, formula))

    def linear(self):
        """Its tangents are those that it makes of tangents itself."""
        self.is_linear = True

    def elementwise(self, turns_around):
        """Its tangents are its gradients, with a tangent for the gradient of the result.

        Args:
            turns_around: whether JAX can transpose them by itself: no kernel is part of them.
        """

        def term(name, formula):
            return lambda a, t, r: formula(a, [getattr(t, name)], r)

        self.is_elementwise = turns_around
        self.tangents += [(0, names, term(names[0], f)) for names, f in self.gradients]


def composite(name, **more):
    """Makes an operator of the formula that follows, which JAX differentiates and batches."""
    return lambda function: Operator(function, name, **more)


def as_list(value, count):
    """A list of so many numbers: one stands for all."""
    return value if value is None or not isinstance(value, int) else (value,) * count
