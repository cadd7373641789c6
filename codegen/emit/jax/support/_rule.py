"""What rules of operators call: conditions of a call, and what its results look like."""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Result(NamedTuple):
    """What a result looks like; its dtype is that of the kernel, which JAX may not have without x64."""

    shape: tuple
    dtype: object


_CPP_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
}


def type_name(dtype):
    return _CPP_NAMES.get(jnp.dtype(dtype).name, jnp.dtype(dtype).name)


def text(*parts):
    """A message, whose values are spelled as in Opweave."""
    return "".join(part if isinstance(part, str) else _spelled(part) for part in parts)


def _spelled(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_spelled(item) for item in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def check_dtype(name, argument, value, dtypes):
    """NotImplementedError if an array, or one of a list, is of none of these dtypes."""
    for array in value if isinstance(value, list | tuple) else [value]:
        if array is not None and array.dtype.name not in dtypes:
            raise NotImplementedError(
                f"\"{name}\" not implemented for '{type_name(array.dtype)}', the dtype of argument "
                f"'{argument}'"
            )


def quotient(a, b):
    """As C++ divides."""
    return int(a / b) if abs(a) < 2**53 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def rest(a, b):
    return a - b * quotient(a, b)


def real(value):
    return float(value)


def length(items):
    return len(items)


def size_at(array, dim):
    return array.shape[wrap(dim, len(array.shape))]


def sizes_along(arrays, dim):
    dims = dim if isinstance(dim, list | tuple) else [dim] * len(arrays)
    return [size_at(array, d) for array, d in zip(arrays, dims, strict=True)]


def wrap(dim, rank):
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
        )
    return dim % rank


def with_dim(sizes, dim):
    wrap(dim, len(sizes))
    return sizes


def size_along(sizes, dim):
    at = wrap(dim, len(sizes))
    return sizes[at] if len(sizes) else 1


def reduced(sizes, dim, keepdim):
    rank = len(sizes)
    dims = [dim] if isinstance(dim, int) else dim
    gone = {wrap(d, rank) for d in dims} if dims else set(range(rank))
    kept = [1 if i in gone else n for i, n in enumerate(sizes) if keepdim or i not in gone]
    return tuple(kept)


def same(a, b, but=None):
    return len(a) == len(b) and all(x == y or i == but for i, (x, y) in enumerate(zip(a, b)))


def broadcast(a, b):
    try:
        return jnp.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        raise RuntimeError(text("sizes ", list(a), " and ", list(b), " do not broadcast")) from None


def broadcasts_to(a, b):
    pairs = zip(reversed(a), reversed(b))
    return len(a) <= len(b) and all(x in (1, y) for x, y in pairs)


def concat(a, b):
    return (*a, *b)


def first(items, count):
    return tuple(items[:count])


def last(items, count):
    return tuple(items[len(items) - count :])


def without(items, *indices):
    return tuple(item for i, item in enumerate(items) if i not in indices)


def replaced(items, index, value):
    return tuple(value if i == index else item for i, item in enumerate(items))


def inserted(items, index, value):
    return (*items[:index], value, *items[index:])


def ends_with(items, end):
    return len(end) <= len(items) and list(items[len(items) - len(end) :]) == list(end)


def product(items):
    return math.prod(items)


def smallest(items):
    return min_of(items)


min_of, max_of = min, max


def min(a, b):
    return min_of(a, b)


def max(a, b):
    return max_of(a, b)


def floor_div(a, b):
    return a // b


def mod(a, b):
    return a % b


def window(size, kernel, stride, padding, dilation, ceil_mode):
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil_mode else 0)) // stride + 1
    # A last window begins inside of the elements or of the padding before them.
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def all_between(items, low, high):
    return all(low <= item <= high for item in items)


def at_least_1d(sizes):
    return tuple(sizes) or (1,)


def promoted(a, b):
    return jnp.promote_types(a, b)


def cat_sizes(arrays, dim):
    """Of a list in a row along a dimension; an empty vector goes with everything."""
    parts = [a.shape for a in arrays if a.shape != (0,)] or [a.shape for a in arrays[:1]]
    at = wrap(dim, len(parts[0]))
    for shape in parts:
        if not same(shape, parts[0], at):
            raise RuntimeError(
                text(
                    "Sizes of tensors must match except in dimension ",
                    at,
                    ", got ",
                    shape,
                    " and ",
                    parts[0],
                )
            )
    return replaced(parts[0], at, sum(shape[at] for shape in parts))


def common_dtype(arrays):
    return jnp.result_type(*(array.dtype for array in arrays))


def is_floating(dtype):
    return bool(jnp.issubdtype(dtype, jnp.floating))


def is_integral(dtype):
    return bool(jnp.issubdtype(dtype, jnp.integer))


def or_else(value, otherwise):
    return otherwise if value is None else value


def accumulated(dtype, asked):
    return or_else(asked, dtype if is_floating(dtype) else "int64")


def widened(dtype):
    return "float32" if jnp.dtype(dtype).itemsize == 2 and is_floating(dtype) else dtype


def is_contiguous(array):
    return True


def are_contiguous(arrays):
    return True


def canonical(dtype):
    """What JAX has for a dtype, which depends on x64."""
    return jax.dtypes.canonicalize_dtype(jnp.dtype(dtype))
