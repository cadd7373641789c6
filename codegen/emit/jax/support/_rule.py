"""What rules of operators call: conditions of a call, and what its results look like."""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

from . import _promotion as promotion


class Result(NamedTuple):
    """What a result looks like; its dtype is that of the kernel, which JAX may not have without x64."""

    shape: tuple
    dtype: object

    def check(self):
        """Raises RuntimeError where no memory has these sizes: XLA would end the process."""
        count = _check_sizes(self.shape)
        if count * jnp.dtype(self.dtype).itemsize > _LARGEST:
            raise RuntimeError(
                f"Storage size calculation overflowed with sizes={list(self.shape)} and dtype "
                f"{jnp.dtype(self.dtype)}"
            )


_LARGEST = 2**63 - 1


def _check_sizes(sizes):
    """Their product, but for those that are 0: XLA multiplies the others as well."""
    count = 1
    for size in sizes:
        if size < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {size}: {list(sizes)}"
            )
        count *= size or 1
    if count > _LARGEST:
        raise RuntimeError(f"numel: the product of sizes {list(sizes)} overflows int64")
    return count


def _size(number):
    if not -_LARGEST - 1 <= number <= _LARGEST:
        raise RuntimeError("a size is out of the range of 64-bit integers")
    return number


def checked(operator, a, symbol, b):
    """A sum, difference or product of whole numbers of 64 bits. JAX may trace them; then it wraps around.

    Raises:
        RuntimeError: it is none.
    """
    found = a + b if symbol == "+" else a - b if symbol == "-" else a * b
    if not isinstance(found, jax.core.Tracer) and not -_LARGEST - 1 <= found <= _LARGEST:
        raise RuntimeError(f"{operator}(): {a} {symbol} {b} is out of the range of 64-bit integers")
    return found


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
    for array in jax.tree_util.tree_leaves(value):
        if array.dtype.name not in dtypes:
            raise NotImplementedError(
                f"\"{name}\" not implemented for '{type_name(array.dtype)}', the dtype of argument "
                f"'{argument}'"
            )


def element(items, index, operator, name):
    """IndexError, which names the operator and the list, where the list has no such element."""
    if not 0 <= index < len(items):
        raise IndexError(
            f"{operator}(): index {index} is out of range for {name}, which has {len(items)} elements"
        )
    return items[index]


def choose(condition, yes, no):
    """What one of two formulas gives, which are functions of nothing. JAX may trace the condition."""
    if not isinstance(condition, jax.core.Tracer):
        return yes() if condition else no()
    looks = [jax.eval_shape(lambda f=f: jnp.asarray(f())) for f in (yes, no)]
    shape = jnp.broadcast_shapes(*(look.shape for look in looks))
    dtype = jnp.result_type(*looks)
    ways = [lambda f=f: jnp.broadcast_to(jnp.asarray(f()).astype(dtype), shape) for f in (yes, no)]
    return jax.lax.cond(condition, *ways)


def both(a, b):
    """Of a condition and a function that gives another."""
    return jnp.logical_and(a, b()) if isinstance(a, jax.core.Tracer) else a and b()


def either(a, b):
    return jnp.logical_or(a, b()) if isinstance(a, jax.core.Tracer) else a or b()


def opposite(a):
    return jnp.logical_not(a) if isinstance(a, jax.core.Tracer) else not a


def real(value):
    """A whole number as a float, also one that JAX traces."""
    return value * 1.0


def length(items):
    return len(items)


def size_at(array, dim):
    return array.shape[wrap(dim, len(array.shape))]


def sizes_along(arrays, dim):
    """An empty vector, which `cat` takes among others of more dimensions, has no such size: -1."""
    return [-1 if array.shape == (0,) else size_at(array, dim) for array in arrays]


def wrap(dim, rank):
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
        )
    return dim % rank


def _at(items, index, end):
    """RuntimeError where a list has no such place: Python would count from its end, or leave it as it is."""
    if not 0 <= index < end:
        raise RuntimeError(f"index {index} is out of range for the list {list(items)}")
    return index


def with_dim(sizes, dim):
    wrap(dim, len(sizes))
    return sizes


def size_along(sizes, dim):
    at = wrap(dim, len(sizes))
    return sizes[at] if len(sizes) else 1


def reduced(sizes, dim, keepdim):
    rank = len(sizes)
    dims = [dim] if isinstance(dim, int) else dim
    gone = set() if dims else set(range(rank))
    for at in (wrap(d, rank) for d in dims or ()):
        if at in gone:
            raise RuntimeError(f"dim {at} appears multiple times in the list of dims")
        gone.add(at)
    kept = [1 if i in gone else n for i, n in enumerate(sizes) if keepdim or i not in gone]
    return tuple(kept)


def same(a, b, but=None):
    return len(a) == len(b) and all(x == y or i == but for i, (x, y) in enumerate(zip(a, b)))


def broadcast(a, b):
    """The sizes to which both broadcast. RuntimeError if they do not."""
    rank = max_of(len(a), len(b))
    longer, found = (a if len(a) > len(b) else b), []
    for back, (x, y) in enumerate(zip(reversed(a), reversed(b)), 1):
        if x != y and 1 not in (x, y):
            raise RuntimeError(
                f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton "
                f"dimension {rank - back}"
            )
        found.insert(0, y if x == 1 else x)
    return (*longer[: rank - len(found)], *found)


def broadcasts_to(a, b):
    pairs = zip(reversed(a), reversed(b))
    return len(a) <= len(b) and all(x in (1, y) for x, y in pairs)


def concat(a, b):
    return (*a, *b)


def first(items, count):
    return tuple(items[: _at(items, count, len(items) + 1)])


def last(items, count):
    return tuple(items[len(items) - _at(items, count, len(items) + 1) :])


def without(items, *indices):
    gone = {_at(items, index, len(items)) for index in indices}
    return tuple(item for i, item in enumerate(items) if i not in gone)


def replaced(items, index, value):
    at = _at(items, index, len(items))
    return tuple(value if i == at else item for i, item in enumerate(items))


def inserted(items, index, value):
    _at(items, index, len(items) + 1)
    return (*items[:index], value, *items[index:])


def ends_with(items, end):
    return len(end) <= len(items) and list(items[len(items) - len(end) :]) == list(end)


def product(items):
    _check_sizes(items)
    return math.prod(items)


min_of, max_of = min, max


def smallest(items):
    if not items:
        raise RuntimeError("the smallest element of an empty list is asked for")
    return min_of(items)


def min(a, b):
    return min_of(a, b)


def max(a, b):
    return max_of(a, b)


def _divisor(number):
    if number == 0:
        raise RuntimeError("division by zero")
    return number


def floor_div(a, b):
    found = a // _divisor(b)
    if found > _LARGEST:
        raise RuntimeError(f"{a} / {b} is out of the range of 64-bit integers")
    return found


def mod(a, b):
    return a % _divisor(b)


def window(size, kernel, stride, padding, dilation, ceil_mode):
    span = _size(_size(size + _size(2 * padding)) - _size(dilation * _size(kernel - 1)) - 1)
    count = floor_div(_size(span + (stride - 1 if ceil_mode else 0)), stride) + 1
    # A last window begins inside of the elements or of the padding before them.
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def all_between(items, low, high):
    return all(low <= item <= high for item in items)


def at_least_1d(sizes):
    return tuple(sizes) or (1,)


def promoted(a, b):
    return jnp.promote_types(a, b)


def cat_sizes(arrays, dim):
    """Of a list in a row along a dimension; an empty vector goes with everything.

    Raises:
        ValueError: there are none.
        RuntimeError: one does not go with the others.
    """
    if not arrays:
        raise ValueError("cat(): expected a non-empty list of Tensors")
    for i, array in enumerate(arrays):
        if not array.shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    counted = [(i, a.shape) for i, a in enumerate(arrays) if a.shape != (0,)]
    first = counted[0][1] if counted else (0,)
    at = wrap(dim, len(first))
    for i, shape in counted:
        _check_part(i, shape, first, at)
    return replaced(first, at, sum(shape[at] for _, shape in counted))


def _check_part(i, shape, first, at):
    if len(shape) != len(first):
        raise RuntimeError(
            f"cat(): Tensors must have same number of dimensions: got {len(first)} and {len(shape)} for "
            f"tensor number {i} in the list"
        )
    for d, (size, expected) in enumerate(zip(shape, first, strict=True)):
        if d != at and size != expected:
            raise RuntimeError(
                f"cat(): Sizes of tensors must match except in dimension {at}. Expected size {expected} but "
                f"got size {size} for tensor number {i} in the list."
            )


def common_dtype(arrays):
    return promotion.promoted(arrays)


def is_floating(dtype):
    return bool(jnp.issubdtype(dtype, jnp.floating))


def is_complex(dtype):
    return bool(jnp.issubdtype(dtype, jnp.complexfloating))


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
