"""Operators of Opweave's core that formulas call, over JAX's own: those that need more than another name.

Arguments are those of the schemas, in their order; what only Opweave has of a tensor (layout, device,
memory) is left aside.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from ._promotion import default
from ._rule import canonical, wrap
from ._vocabulary import polygamma as _polygamma


def _dims(dim):
    return [dim] if isinstance(dim, int) else dim


def _axis(self, dim):
    """Dimensions for JAX: None where all are meant, as an empty list says.

    A number has none; in Opweave it counts as having one.
    """
    found = tuple(wrap(d, self.ndim) for d in _dims(dim) or ())
    return found if found and self.ndim else None


def _dtype(asked, otherwise):
    """The one that is asked for, if any: in JAX without x64 the one of 32 bits."""
    return canonical(asked) if asked is not None else otherwise


def _accumulated(self, dtype):
    whole = not jnp.issubdtype(self.dtype, jnp.inexact)
    return _dtype(dtype, jnp.result_type(int) if whole else self.dtype)


def total(self, dtype=None):
    return jnp.sum(self, dtype=_accumulated(self, dtype))


def sum(self, dim, keepdim=False, dtype=None):
    return jnp.sum(self, _axis(self, dim), _accumulated(self, dtype), keepdims=keepdim)


def mean_of_all(self, dtype=None):
    return jnp.mean(self, dtype=_dtype(dtype, None))


def mean(self, dim, keepdim=False, dtype=None):
    return jnp.mean(self, _axis(self, dim), _dtype(dtype, None), keepdims=keepdim)


def product_of_all(self, dtype=None):
    return jnp.prod(self, dtype=_accumulated(self, dtype))


def product(self, dim, keepdim=False, dtype=None):
    return jnp.prod(self, _axis(self, dim), _accumulated(self, dtype), keepdims=keepdim)


def amax(self, dim=(), keepdim=False):
    return jnp.max(self, _axis(self, dim), keepdims=keepdim)


def amin(self, dim=(), keepdim=False):
    return jnp.min(self, _axis(self, dim), keepdims=keepdim)


def any_along(self, dim, keepdim=False):
    return jnp.any(self, _axis(self, dim), keepdims=keepdim)


def all_along(self, dim, keepdim=False):
    return jnp.all(self, _axis(self, dim), keepdims=keepdim)


def _place(function, self, dim, keepdim):
    axis = None if dim is None or not self.ndim else wrap(dim, self.ndim)
    return function(self, axis, keepdims=keepdim).astype(jnp.result_type(int))


def argmax(self, dim=None, keepdim=False):
    return _place(jnp.argmax, self, dim, keepdim)


def argmin(self, dim=None, keepdim=False):
    return _place(jnp.argmin, self, dim, keepdim)


def var(self, dim=None, correction=None, keepdim=False):
    """Infinite, or NaN, where the correction leaves nothing to divide by: jax.numpy's is NaN."""
    axis = _axis(self, dim)
    left = self.size if axis is None else math.prod(self.shape[d] for d in axis)
    left -= 1 if correction is None else correction
    wide = self.astype(jnp.promote_types(self.dtype, jnp.float32))
    moved = wide - jnp.mean(wide, axis, keepdims=True)
    squares = jnp.sum(moved * moved, axis, keepdims=keepdim) / max(left, 0.0)
    return squares.astype(self.dtype if jnp.issubdtype(self.dtype, jnp.floating) else default())


def std(self, dim=None, correction=None, keepdim=False):
    """Equal elements have the gradient 0, where that of the root is infinite."""
    squared = var(self, dim, correction, keepdim)
    constant = squared == 0
    root = jnp.sqrt(jnp.where(constant, 1, squared))
    return jnp.where(constant, 0, root)


def logsumexp(self, dim, keepdim=False):
    return jax.scipy.special.logsumexp(self, _axis(self, dim), keepdims=keepdim)


def cumsum(self, dim, dtype=None):
    dtype = _accumulated(self, dtype)
    return jnp.cumsum(self, dim, dtype) if self.ndim else self.astype(dtype)


def cumprod(self, dim, dtype=None):
    dtype = _accumulated(self, dtype)
    return jnp.cumprod(self, dim, dtype) if self.ndim else self.astype(dtype)


def sum_to_size(self, size):
    missing = self.ndim - len(size)
    axes = [i for i, n in enumerate(self.shape) if i < missing or (size[i - missing] == 1 != n)]
    return jnp.sum(self, tuple(axes)).reshape(size)


def _widened(self, half_to_float):
    return self.astype(jnp.float32) if half_to_float else self


def softmax(self, dim, half_to_float=False):
    return jax.nn.softmax(_widened(self, half_to_float), _axis(self, dim))


def log_softmax(self, dim, half_to_float=False):
    return jax.nn.log_softmax(_widened(self, half_to_float), _axis(self, dim))


def power(self, exponent):
    return jnp.power(self, exponent)


def polygamma(n, self):
    return _polygamma(n, jnp.asarray(self))


def clamp(self, min=None, max=None):
    """What lies on a bound still moves: jax.numpy's halves its gradient there. A bound may be NaN."""
    if min is not None:
        self = jnp.where((self < min) | (min != min), min, self)
    return self if max is None else jnp.where((self > max) | (max != max), max, self)


def nan_to_num(self, nan=None, posinf=None, neginf=None):
    return jnp.nan_to_num(self, nan=nan or 0.0, posinf=posinf, neginf=neginf)


def masked_fill(self, mask, value):
    return jnp.where(mask, jnp.asarray(value, self.dtype), self)


def zeros(size, dtype=None, *_):
    return jnp.zeros(size, _dtype(dtype, None))


def zeros_like(self, dtype=None, *_):
    return jnp.zeros(self.shape, _dtype(dtype, self.dtype))


def new_zeros(self, size, dtype=None, *_):
    return jnp.zeros(size, _dtype(dtype, self.dtype))


def ones(size, dtype=None, *_):
    return jnp.ones(size, _dtype(dtype, None))


def ones_like(self, dtype=None, *_):
    return jnp.ones(self.shape, _dtype(dtype, self.dtype))


def new_ones(self, size, dtype=None, *_):
    return jnp.ones(size, _dtype(dtype, self.dtype))


def full(size, fill_value, dtype=None, *_):
    return jnp.full(size, fill_value, _dtype(dtype, None))


def full_like(self, fill_value, dtype=None, *_):
    return jnp.full(self.shape, fill_value, _dtype(dtype, self.dtype))


def new_full(self, size, fill_value, dtype=None, *_):
    return jnp.full(size, fill_value, _dtype(dtype, self.dtype))


def scalar_tensor(s, dtype=None, *_):
    return jnp.asarray(s, _dtype(dtype, default()))


def arange(start, end, step=1, dtype=None, *_):
    return jnp.arange(start, end, step, _dtype(dtype, None))


def eye(n, m, dtype=None, *_):
    return jnp.eye(n, m, dtype=_dtype(dtype, None))


def detach(self):
    return jax.lax.stop_gradient(self)


def to(self, dtype, *_):
    return self.astype(canonical(dtype))


def flatten(self, start_dim=0, end_dim=-1):
    first, last = wrap(start_dim, self.ndim), wrap(end_dim, self.ndim)
    count = math.prod(self.shape[first : last + 1])
    return self.reshape((*self.shape[:first], count, *self.shape[last + 1 :]))


def swapaxes(self, dim0, dim1):
    return jnp.swapaxes(self, dim0, dim1) if self.ndim else self


def expand(self, size, implicit=False):
    missing = len(size) - self.ndim
    sizes = [self.shape[i - missing] if n == -1 else n for i, n in enumerate(size)]
    return jnp.broadcast_to(self, sizes)


def squeeze(self, dim):
    dims = [wrap(d, self.ndim) for d in _dims(dim)]
    return jnp.squeeze(self, tuple(d for d in dims if self.ndim and self.shape[d] == 1))


def narrow(self, dim, start, length):
    first = start + self.shape[dim] if start < 0 else start
    return jax.lax.slice_in_dim(self, first, first + length, axis=dim)


def select(self, dim, index):
    return jax.lax.index_in_dim(self, index, dim, keepdims=False)


def slice_along(self, dim=0, start=None, end=None, step=1):
    places = range(self.shape[dim])[slice(start, end, step)]
    if not places:
        return jax.lax.slice_in_dim(self, 0, 0, axis=dim)
    return jax.lax.slice_in_dim(self, places[0], places[-1] + 1, step, dim)


def diagonal(self, offset=0, dim1=0, dim2=1):
    return jnp.diagonal(self, offset, dim1, dim2)


def unbind(self, dim=0):
    return [select(self, dim, i) for i in range(self.shape[dim])]


def split_with_sizes(self, split_sizes, dim=0):
    return jnp.split(self, np.cumsum(split_sizes)[:-1], dim)


def cat(tensors, dim=0):
    # An empty vector goes with everything.
    parts = [t for t in tensors if t.shape != (0,)] or list(tensors[:1])
    return jnp.concatenate(parts, dim, dtype=jnp.result_type(*tensors))


def cat_backward(grad, lengths, dim):
    """The parts of a gradient; that of an empty vector among others, whose length is -1, is empty."""
    counted = [max(length, 0) for length in lengths]
    parts = split_with_sizes(grad, counted, dim) if lengths else []
    return [
        part if length >= 0 else jnp.zeros(0, grad.dtype)
        for part, length in zip(parts, lengths, strict=True)
    ]


def sum_backward(grad, sizes, dim, keepdim):
    rank = len(sizes)
    axes = sorted({wrap(d, rank) for d in _dims(dim) or ()})
    if axes and rank and not keepdim:
        grad = jnp.expand_dims(grad, tuple(axes))
    return jnp.broadcast_to(grad, sizes)


def flip(self, dims):
    return jnp.flip(self, tuple(dims)) if self.ndim else self


def roll(self, shifts, dims=()):
    axis = _axis(self, dims)
    if axis is None and not isinstance(shifts, int):
        (shifts,) = shifts
    return jnp.roll(self, shifts, axis)


def constant_pad(self, pad, value=0):
    """Two numbers for each dimension, from the last one on; negative ones cut off."""
    pairs = [(0, 0)] * (self.ndim - len(pad) // 2)
    pairs += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    fill = jnp.asarray(value, self.dtype)
    return jax.lax.pad(self, fill, [(low, high, 0) for low, high in pairs])


def _subscripts(indices):
    """Bytes are truth values, as they were before there were any."""
    known = (i if i is None or i.dtype != jnp.uint8 else i.astype(bool) for i in indices)
    return tuple(slice(None) if i is None else i for i in known)


def index(self, indices):
    return self[_subscripts(indices)]


def index_put(self, indices, values, accumulate=False):
    place = self.at[_subscripts(indices)]
    values = jnp.asarray(values).astype(self.dtype)
    return place.add(values) if accumulate else place.set(values)


def index_select(self, dim, index):
    return jnp.take(jnp.atleast_1d(self), jnp.atleast_1d(index), axis=dim)


def index_add(self, dim, index, source, alpha=1):
    moved = jnp.moveaxis(self, dim, 0).at[index].add(alpha * jnp.moveaxis(source, dim, 0))
    return jnp.moveaxis(moved, 0, dim)


def _places(self, dim, index):
    """Where in the array each element of an index along a dimension points."""
    places = list(jnp.indices(index.shape, sparse=True))
    places[dim] = index
    return tuple(places)


def gather(self, dim, index, sparse_grad=False):
    return self[_places(self, dim, index)]


def scatter(self, dim, index, src):
    part = src[tuple(slice(n) for n in index.shape)]
    return self.at[_places(self, dim, index)].set(part)


def scatter_add(self, dim, index, src):
    part = src[tuple(slice(n) for n in index.shape)]
    return self.at[_places(self, dim, index)].add(part)
