"""Tangents and gradients of a call, by the formulas of its operator."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from ._linear import linear


@jax.tree_util.register_pytree_node_class
class Shape:
    """What formulas read of an array whose elements they do not read."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = tuple(shape), jnp.dtype(dtype)
        self.ndim, self.size = len(self.shape), int(np.prod(self.shape, dtype=np.int64))

    def tree_flatten(self):
        return (), (self.shape, self.dtype)

    @classmethod
    def tree_unflatten(cls, fixed, _):
        return cls(*fixed)

    def zeros(self):
        return jnp.zeros(self.shape, self.dtype)


def _shape_of(value):
    return Shape(jnp.shape(value), jnp.result_type(value))


def _shapes_of(value):
    """Of an array, or of each in a list; None stays."""
    return jax.tree_util.tree_map(_shape_of, value)


def _zeros_of(value):
    """Zeros in the place of shapes; arrays, and what is no array, stay."""
    is_shape = lambda v: isinstance(v, Shape)  # noqa: E731
    return jax.tree_util.tree_map(
        lambda v: v.zeros() if is_shape(v) else v, value, is_leaf=is_shape
    )


def _is_zero(tangent):
    return isinstance(tangent, SymbolicZero) or tangent.dtype == jax.dtypes.float0


def _moves(tangent):
    leaves = jax.tree_util.tree_leaves(tangent, is_leaf=lambda v: isinstance(v, SymbolicZero))
    return not all(_is_zero(leaf) for leaf in leaves)


def _instantiated(tangent):
    """A tangent that does not move, among those of a list, is zero."""
    return jax.tree_util.tree_map(
        lambda t: jnp.zeros(t.aval.shape, t.aval.dtype) if isinstance(t, SymbolicZero) else t,
        tangent,
        is_leaf=lambda v: isinstance(v, SymbolicZero),
    )


def fitted(value, like):
    """As large as what it belongs to, and of its dtype: what was broadcast is added up. None is zero."""
    if value is None:
        return jnp.zeros(like.shape, like.dtype)
    value = jnp.asarray(value)
    missing = value.ndim - len(like.shape)
    if missing >= 0:
        sizes = value.shape[missing:]
        repeated = [i for i, size in enumerate(like.shape) if size == 1 and sizes[i] != 1]
        axes = (*range(missing), *(i + missing for i in repeated))
        value = value.sum(axes).reshape(like.shape) if axes else value
    return jnp.broadcast_to(value, like.shape).astype(like.dtype)


def _no_tangent(result):
    if jnp.issubdtype(result.dtype, jnp.floating):
        return jnp.zeros(result.shape, result.dtype)
    return np.zeros(result.shape, jax.dtypes.float0)


def _parts(found):
    return tuple(found) if isinstance(found, tuple) else (found,)


def derived(operator, given, found, moved):
    """The tangent of each result, for those of the arguments.

    Raises:
        TypeError: an argument moves that is a number, for which operators have no gradient, or that the
            operator is not differentiated by though its results depend on it.
    """
    moving = {name: t for name, t in moved.leaves().items() if _moves(t)}
    for name in moving:
        if name not in operator.tensors:
            raise TypeError(
                f"{operator.name}(): argument '{name}' is a number, which has no gradient; "
                "jax.lax.stop_gradient cuts it off"
            )
        if name in operator.refused:
            raise TypeError(
                f"The function '{operator.name}' is not differentiable with respect to argument '{name}'; "
                "jax.lax.stop_gradient cuts it off"
            )
    covered = {name for inputs, _ in operator.gradients for name in inputs}
    moving = {name: t for name, t in moving.items() if name in covered}
    results = _parts(found)
    if not moving:
        return [_no_tangent(result) for result in results]
    sums = _tangents(operator, given, results, moving)
    return [
        _no_tangent(result) if total is None else fitted(total, result)
        for result, total in zip(results, sums, strict=True)
    ]


def _tangents(operator, given, results, moving):
    """Of each result; None where it has none."""
    arrays = {
        name: value if name in operator.keeps or name not in operator.tensors else _shapes_of(value)
        for name, value in given.leaves().items()
    }
    kept = [r if i in operator.keeps_results else _shape_of(r) for i, r in enumerate(results)]
    residuals, residuals_tree = jax.tree_util.tree_flatten((arrays, kept))
    values, values_tree = jax.tree_util.tree_flatten(_instantiated(moving))
    shapes = {name: _shapes_of(value) for name, value in _instantiated(moving).items()}
    maps = _Maps(
        operator, given.constants(), _shapes_of(list(results)), shapes, residuals_tree, values_tree
    )
    if operator.is_elementwise:  # of what JAX turns around by itself
        return maps.sums(residuals, values)
    looks = [maps.results[i] for i in maps.outputs]
    found = linear(maps.forward, maps.backward, residuals, values, looks)
    sums = [None] * len(results)
    for i, value in zip(maps.outputs, found, strict=True):
        sums[i] = value
    return sums


def _sum_of_terms(operator, named, moving, results):
    """What the terms of a rule for forward mode add up to, for each result; None where none moves it."""
    t = SimpleNamespace(**{name: moving.get(name) for name in operator.tensors})
    sums = [None] * len(results)
    for output, inputs, formula in operator.tangents:
        if not any(name in moving for name in inputs):
            continue
        for name in inputs:
            if name not in moving:
                setattr(t, name, _zeros_of(_shapes_of(getattr(named, name))))
        term = fitted(formula(named, t, results), results[output])
        sums[output] = term if sums[output] is None else sums[output] + term
    return sums


class _Maps:
    """The linear map from the tangents of arguments to those of results, and its transpose.

    It holds no arrays: traces keep it for as long as they are kept themselves.

    Args:
        constants: arguments that JAX does not know of, by name.
        results: what the results look like; `shapes` what the arguments that move do, by name.
        residuals_tree, values_tree: how what is read, and tangents, lie in lists.
    """

    def __init__(self, operator, constants, results, shapes, residuals_tree, values_tree):
        self.operator, self.constants = operator, constants
        self.results, self.shapes = results, shapes
        self.residuals_tree, self.values_tree = residuals_tree, values_tree
        self.outputs = [
            i
            for i, result in enumerate(results)
            if jnp.issubdtype(result.dtype, jnp.floating) and i not in operator.constant_results
        ]

    def _read(self, residuals):
        arrays, results = jax.tree_util.tree_unflatten(self.residuals_tree, residuals)
        return SimpleNamespace(**arrays, **self.constants), results

    def sums(self, residuals, values):
        named, results = self._read(residuals)
        moving = jax.tree_util.tree_unflatten(self.values_tree, values)
        return _sum_of_terms(self.operator, named, moving, results)

    def forward(self, residuals, values):
        if self.operator.is_linear:
            sums = self._of_tangents(residuals, values)
        elif self.operator.tangents:
            sums = self.sums(residuals, values)
        else:
            return self._two_backward_passes(residuals, values)
        return [fitted(sums[i], self.results[i]) for i in self.outputs]

    def _of_tangents(self, residuals, values):
        named, _ = self._read(residuals)
        moving = jax.tree_util.tree_unflatten(self.values_tree, values)
        given = [moving.get(name, vars(named)[name]) for name in self.operator.arguments]
        return _parts(self.operator(*(_zeros_of(value) for value in given)))

    def _two_backward_passes(self, residuals, values):
        """The transpose of the transpose."""
        zeros = [self.results[i].zeros() for i in self.outputs]
        _, transpose = jax.vjp(lambda cotangents: self.backward(residuals, cotangents), zeros)
        return transpose(list(values))[0]

    def backward(self, residuals, cotangents):
        named, results = self._read(residuals)
        grads = [None] * len(self.results)
        for i, value in zip(self.outputs, cotangents, strict=True):
            grads[i] = value
        found = {}
        for inputs, formula in self.operator.gradients:
            if any(name in self.shapes for name in inputs):
                made = formula(named, grads, results)
                found.update(zip(inputs, made if len(inputs) > 1 else (made,), strict=True))
        return [
            fitted(value, like)
            for name, shapes in self.shapes.items()
            for value, like in _paired(found[name], shapes)
        ]


def _paired(gradient, shapes):
    """Gradients of an argument, or of each element of a list, with what they belong to."""
    if isinstance(shapes, Shape):
        return [(gradient, shapes)]
    return list(zip(gradient or [None] * len(shapes), shapes, strict=True))
