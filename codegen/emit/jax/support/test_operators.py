"""Every operator with its sample calls: values, traces, derivatives in both directions, and batches."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from samples import CALLS, Drawn, Elements, Symbol

jax.config.update("jax_enable_x64", True)

DOMAINS = {
    "real": lambda r: 4 * r - 2,
    "positive": lambda r: 2 * r + 0.1,
    "unit": lambda r: 1.8 * r - 0.9,
    "nonzero": lambda r: np.where(r > 0.5, r + 0.2, r - 1.2),
    "ge1": lambda r: r + 1.1,
    "prob": lambda r: 0.9 * r + 0.05,
    "small": lambda r: 0.9 * r - 0.45,
    "wide": lambda r: 24 * r - 12,
    "distinct": lambda r: np.argsort(r, None).reshape(r.shape) / 3 + 0.1,
    "int": lambda r: (r * 9).astype(np.int64),
    "bool": lambda r: r > 0.5,
}


class Reference:
    """The functions of expressions as NumPy and JAX have them: an answer in float64, without promotion."""

    OTHER = {
        "asin": jnp.arcsin, "acos": jnp.arccos, "atan": jnp.arctan, "asinh": jnp.arcsinh,
        "acosh": jnp.arccosh, "atanh": jnp.arctanh, "atan2": jnp.arctan2, "pow": jnp.power,
        "negate": jnp.negative, "rsqrt": lambda x: 1 / jnp.sqrt(x), "square": jnp.square,
        "relu": lambda x: jnp.maximum(x, 0), "sigmoid": lambda x: 1 / (1 + jnp.exp(-x)),
        "select": jnp.where, "to_value": lambda x: jnp.asarray(x, float),
        "to_boolean": lambda x: jnp.asarray(x) != 0, "floor_div": jnp.floor_divide,
        "trunc_div": lambda x, y: jnp.trunc(x / y), "lgamma": jax.scipy.special.gammaln,
        "trigamma": lambda x: jax.scipy.special.polygamma(1, x),
    }  # fmt: skip
    BITS = {
        "bit_and": jnp.bitwise_and, "bit_or": jnp.bitwise_or, "bit_xor": jnp.bitwise_xor,
        "bit_not": jnp.bitwise_not, "shift_left": jnp.left_shift, "shift_right": jnp.right_shift,
        "gcd": jnp.gcd,
    }  # fmt: skip

    def __getattr__(self, name):
        if name in self.BITS:
            return lambda *values: self.BITS[name](*(jnp.asarray(v, int) for v in values))
        found = self.OTHER.get(name) or getattr(jnp, name, None)
        return found or getattr(jax.scipy.special, name)


def draw(value, random):
    if isinstance(value, Drawn):
        if value.limit:
            drawn = random.integers(value.limit, size=value.shape or ())
        else:
            drawn = DOMAINS[value.domain](random.random(value.shape or ()))
        drawn = np.asarray(drawn).astype(value.dtype) if value.dtype else np.asarray(drawn)
        return drawn.item() if value.shape is None else jnp.asarray(drawn)
    if isinstance(value, Elements):
        return jnp.asarray(value.values, float)
    if isinstance(value, Symbol):
        return jnp.dtype(value.name)
    return [draw(item, random) for item in value] if isinstance(value, list) else value


def arguments(call):
    random = np.random.default_rng(1)
    return {name: draw(value, random) for name, value in call.arguments.items()}


def is_float(value):
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jnp.floating)


def leaves(given):
    """The arrays that can have gradients, by name; those of lists by name and place."""
    found = {}
    for name, value in given.items():
        is_list = isinstance(value, list)
        each = {(name, i): v for i, v in enumerate(value)} if is_list else {name: value}
        found |= {key: v for key, v in each.items() if is_float(v)}
    return found


def replaced(given, arrays):
    """The arguments with these arrays in their places."""
    found = {name: list(v) if isinstance(v, list) else v for name, v in given.items()}
    for key, array in arrays.items():
        if isinstance(key, tuple):
            found[key[0]][key[1]] = array
        else:
            found[key] = array
    return found


def variable(call, given):
    """Those that the call may be differentiated by."""
    return {key: v for key, v in leaves(given).items() if key not in call.refused}


def as_function(call, given, choose=lambda call, given: leaves(given)):
    names = choose(call, given)

    def function(*arrays):
        return call.operator(**replaced(given, dict(zip(names, arrays, strict=True))))

    return function, list(names.values())


def floats(function):
    """The results that have gradients alone."""

    def some(*arrays):
        found = function(*arrays)
        return [r for r in (found if isinstance(found, tuple) else (found,)) if is_float_like(r)]

    return some


def is_float_like(value):
    return jnp.issubdtype(value.dtype, jnp.floating)


def assert_close(found, expected, tolerance=1e-12):
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), tolerance, tolerance)


IDS = [f"{call.name}-{index}" for index, call in enumerate(CALLS)]
DIFFERENTIABLE = [call for call in CALLS if call.differentiable]


# Of calls without floats.
WHOLE = {"float64": "int64", "float32": "int32", "float16": "int16", "bfloat16": "uint8"}


def in_dtype(given, dtype):
    """A call whose elements are of a dtype: its floats, or where it has none its whole numbers."""
    floats = leaves(given)
    is_whole = lambda v: isinstance(v, jax.Array) and v.dtype == "int64"  # noqa: E731
    chosen = floats or {name: v for name, v in given.items() if is_whole(v)}
    to = dtype if floats else WHOLE[dtype]
    return replaced(given, {key: value.astype(to) for key, value in chosen.items()})


def widest(value):
    if not isinstance(value, jax.Array) or value.dtype == bool:
        return value
    return np.asarray(value, float if is_float(value) else int)


@pytest.mark.parametrize("call", [c for c in CALLS if c.reference], ids=lambda c: c.name)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_values(call, dtype):
    given = in_dtype(arguments(call), dtype)
    found = call.operator(**given)
    exact = {name: widest(value) for name, value in given.items()}
    expected = np.asarray(call.reference(Reference(), {**call.defaults, **exact}))
    if leaves(given):
        assert found.dtype == bool or found.dtype == dtype
    elif not is_float(found):  # what does not fit into it wraps
        expected = expected.astype(found.dtype)
    tolerance = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}[dtype]
    np.testing.assert_allclose(
        np.asarray(found, float), np.asarray(expected, float), tolerance, tolerance
    )


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_jit(call):
    function, arrays = as_function(call, arguments(call))
    found = jax.jit(function)(*arrays)
    assert_close(found, function(*arrays))
    assert all(math.isfinite(np.asarray(leaf, float).sum()) for leaf in jax.tree.leaves(found))


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_without_data(call):
    """What the rule says of a call is what comes of it."""
    function, arrays = as_function(call, arguments(call))
    for said, made in zip(
        jax.tree.leaves(jax.eval_shape(function, *arrays)), jax.tree.leaves(function(*arrays)), strict=True
    ):  # fmt: skip
        assert (said.shape, said.dtype) == (made.shape, made.dtype)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
def test_gradients(call):
    """Against differences: forwards and backwards, twice."""
    function, arrays = as_function(call, arguments(call), variable)
    check_grads(floats(function), arrays, order=2, modes=("fwd", "rev"), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
def test_gradients_of_each_result(call):
    """A result that nobody uses counts as zero."""
    function, arrays = as_function(call, arguments(call), variable)
    some = floats(function)
    places = tuple(range(len(arrays)))
    whole = jax.grad(lambda *a: sum(r.sum() for r in some(*a)), places)(*arrays)
    each = [
        jax.grad(lambda *a, i=i: some(*a)[i].sum(), places)(*arrays)
        for i in range(len(some(*arrays)))
    ]
    assert_close(whole, tuple(sum(parts) for parts in zip(*each, strict=True)))


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
def test_jacobians(call):
    function, arrays = as_function(call, arguments(call), variable)
    some = floats(function)
    places = tuple(range(len(arrays)))
    assert_close(jax.jacfwd(some, places)(*arrays), jax.jacrev(some, places)(*arrays), 1e-9)


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_batches(call):
    function, arrays = as_function(call, arguments(call))
    batches = [jnp.stack([v, v[::-1] if v.ndim else -v], -1) for v in arrays]
    ways = [(-1,) * len(batches)]
    ways += [
        tuple(-1 if i == j else None for j in range(len(batches))) for i in range(len(batches))
    ]
    for dims in ways if batches else []:
        given = [b if d is not None else v for b, v, d in zip(batches, arrays, dims, strict=True)]
        examples = [
            function(*(a[..., i] if d is not None else a for a, d in zip(given, dims, strict=True)))
            for i in range(2)
        ]
        expected = jax.tree.map(lambda *parts: jnp.stack(parts), *examples)
        assert_close(jax.vmap(function, dims)(*given), expected, 1e-9)
        assert_close(jax.jit(jax.vmap(function, dims))(*given), expected, 1e-9)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
def test_gradients_of_batches(call):
    """The gradient of a batch, and a batch of gradients."""
    function, arrays = as_function(call, arguments(call), variable)
    batches = [jnp.stack([v, v * 0.9]) for v in arrays]
    places = tuple(range(len(arrays)))

    def loss(*given):
        return sum(jnp.sin(r).sum() for r in floats(function)(*given))

    of_batch = jax.grad(lambda *given: jax.vmap(loss)(*given).sum(), places)(*batches)
    of_each = jax.vmap(jax.grad(loss, places))(*batches)
    alone = [jax.grad(loss, places)(*(b[i] for b in batches)) for i in range(2)]
    expected = jax.tree.map(lambda *parts: jnp.stack(parts), *alone)
    assert_close(of_batch, expected, 1e-9)
    assert_close(of_each, expected, 1e-9)
