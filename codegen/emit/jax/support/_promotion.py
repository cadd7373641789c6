"""The dtype of several arrays and numbers, as Opweave and PyTorch find it."""

import jax
import jax.numpy as jnp


def is_number(value):
    """Python's numbers, and what JAX made of them: they decide of what kind a result is, and of no width."""
    return jax.typeof(value).weak_type


def default():
    return jnp.result_type(float)


def _dtype_of(value):
    dtype = jnp.result_type(value)
    if not is_number(value) or dtype == jnp.bool_:
        return dtype
    return jnp.result_type(int) if jnp.issubdtype(dtype, jnp.integer) else default()


def _category(value):
    """Which operands decide before others: arrays with dimensions, those without, numbers."""
    if is_number(value):
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
