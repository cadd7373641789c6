"""The dtype of several arrays and numbers, as Opweave and PyTorch find it."""

import math

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


def _fits(value, dtype):
    if dtype == jnp.bool_:
        return True
    if jnp.issubdtype(dtype, jnp.floating):
        return not math.isfinite(value) or abs(value) <= float(jnp.finfo(dtype).max)
    info = jnp.iinfo(dtype)
    beyond = int(info.max) + 1
    if isinstance(value, float):
        return (-beyond if info.min else 0) <= value < beyond
    # Negative whole numbers wrap around in those without a sign.
    return -beyond + (0 if info.min else 1) <= value < beyond


def check_fits(value, dtype):
    """RuntimeError for a number that has no place in a dtype."""
    if not _fits(value, dtype):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
