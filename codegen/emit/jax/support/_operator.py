"""Operators: calls that JAX traces and batches, and differentiates by their formulas."""

import inspect
import struct

import jax

from ._arguments import Argument
from ._derivatives import derived


def _bits(value):
    """What is equal where a constant is the same: 0.0 and -0.0 are two, and NaN is itself."""
    if isinstance(value, tuple):
        return tuple(map(_bits, value))
    if isinstance(value, float):
        return float, struct.pack("d", value)
    return type(value), value


class Known:
    """A constant of a trace, as a key of what JAX keeps of traces."""

    def __init__(self, value):
        self.value, self._key = value, _bits(value)

    def __eq__(self, other):
        return isinstance(other, Known) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


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

    def constants(self):
        values = (known.value for known in self.others)
        return dict(zip(self.operator.constants, values, strict=True))

    def by_name(self):
        """In the order of the schema."""
        found = self.leaves() | self.constants()
        return {name: found[name] for name in self.operator.arguments}


class Operator:
    """A call by position, in the order of the schema.

    Args:
        function: computes it, of arguments by the names of the schema.
        name: as errors have it.
        types: of its arguments, as the schema has them. Tensors are arrays, lists of them or None.
        numbers: names of the numbers that JAX may trace. All that is left are constants of a trace.
        keeps: names of the tensors whose elements formulas read; `keeps_results`: numbers of results.
        constant_results: numbers of those that have no gradient.
        differentiable: by "formulas" (registered by `gradient` and `tangent`), "through" what it is made of,
            or "no".
    """

    def __init__(
        self, function, name, types, numbers=(), keeps=(), keeps_results=(), constant_results=(),
        differentiable="through",
    ):  # fmt: skip
        self.function, self.name = function, name
        names = [p for p in inspect.signature(function).parameters if p != "ow_m"]
        self.arguments = {
            n: Argument(name, n, place, type)
            for place, (n, type) in enumerate(zip(names, types, strict=True), 1)
        }
        self.tensors = tuple(n for n in names if self.arguments[n].is_tensor)
        self.leaves = (*self.tensors, *numbers)
        self.constants = tuple(n for n in names if n not in self.leaves)
        self.keeps, self.keeps_results = frozenset(keeps), frozenset(keeps_results)
        self.constant_results, self.differentiable = frozenset(constant_results), differentiable
        self.gradients, self.tangents, self.is_linear, self.is_elementwise = [], [], False, False
        self.refused = []
        self._custom = jax.custom_jvp(self.compute)
        self._custom.defjvp(self._derived, symbolic_zeros=True)
        places = [i for i, n in enumerate(names) if n in self.constants]
        self._compiled = jax.jit(self._of_known, static_argnums=places)
        self.run = self._run if places else self._compiled

    def __call__(self, *values):
        return self._differentiated(self._given(values))

    def _of_known(self, *values):
        return self(*(v.value if isinstance(v, Known) else v for v in values))

    def _run(self, *values):
        """The same, compiled: what programs call."""
        return self._compiled(
            *(
                Known(a.constant(value)) if a.name in self.constants else value
                for a, value in zip(self.arguments.values(), values, strict=True)
            )
        )

    def _given(self, values):
        found = dict(zip(self.arguments, values, strict=True))
        arrays = [
            self.arguments[n].arrays(found[n]) if n in self.tensors else self.arguments[n].number(found[n])
            for n in self.leaves
        ]  # fmt: skip
        return Given(
            self,
            tuple(arrays),
            tuple(Known(self.arguments[n].constant(found[n])) for n in self.constants),
        )

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

    def refuse(self, *inputs):
        """Results depend on these arguments, and are not differentiated by them: that is an error."""
        self.refused += inputs

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


def composite(name, types, **more):
    """Makes an operator of the formula that follows, which JAX differentiates and batches."""
    return lambda function: Operator(function, name, types, **more)
