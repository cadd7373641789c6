"""Operators of Opweave's core that formulas call, over JAX's own: those that need more than another name.

Arguments are those of the schemas, in their order; what only Opweave has of a tensor (layout, device,
memory) is left aside.
"""

import jax
import jax.numpy as jnp
import numpy as np


def _axes(dim):
    """None and an empty list are all dimensions."""
    return None if dim is None or (not isinstance(dim, int) and len(dim) == 0) else dim


def _axis(dim):
    axes = _axes(dim)
    return tuple(axes) if isinstance(axes, list | tuple) else axes


def _accumulated(self, dtype):
    whole = not jnp.issubdtype(self.dtype, jnp.floating)
    return dtype or (jnp.result_type(int) if whole else self.dtype)


def total(self, dtype=None):
    return jnp.sum(self, dtype=_accumulated(self, dtype))


def sum(self, dim, keepdim=False, dtype=None):
    return jnp.sum(self, _axis(dim), _accumulated(self, dtype), keepdims=keepdim)


def mean_of_all(self, dtype=None):
    return jnp.mean(self, dtype=dtype)


def mean(self, dim, keepdim=False, dtype=None):
    return jnp.mean(self, _axis(dim), dtype, keepdims=keepdim)


def product_of_all(self, dtype=None):
    return jnp.prod(self, dtype=_accumulated(self, dtype))


def product(self, dim, keepdim=False, dtype=None):
    return jnp.prod(self, dim, _accumulated(self, dtype), keepdims=keepdim)


def amax(self, dim=(), keepdim=False):
    return jnp.max(self, _axis(dim), keepdims=keepdim)


def amin(self, dim=(), keepdim=False):
    return jnp.min(self, _axis(dim), keepdims=keepdim)


def argmax(self, dim=None, keepdim=False):
    return jnp.argmax(self, dim, keepdims=keepdim).astype(jnp.result_type(int))


def argmin(self, dim=None, keepdim=False):
    return jnp.argmin(self, dim, keepdims=keepdim).astype(jnp.result_type(int))


def var(self, dim=None, correction=None, keepdim=False):
    ddof = 1 if correction is None else correction
    return jnp.var(self, _axis(dim), ddof=ddof, keepdims=keepdim)


def std(self, dim=None, correction=None, keepdim=False):
    ddof = 1 if correction is None else correction
    return jnp.std(self, _axis(dim), ddof=ddof, keepdims=keepdim)


def logsumexp(self, dim, keepdim=False):
    return jax.scipy.special.logsumexp(self, _axis(dim), keepdims=keepdim)


def cumsum(self, dim, dtype=None):
    return jnp.cumsum(self, dim, _accumulated(self, dtype)) if self.ndim else self


def cumprod(self, dim, dtype=None):
    return jnp.cumprod(self, dim, _accumulated(self, dtype)) if self.ndim else self


def sum_to_size(self, size):
    missing = self.ndim - len(size)
    axes = [i for i, n in enumerate(self.shape) if i < missing or (size[i - missing] == 1 != n)]
    return jnp.sum(self, tuple(axes)).reshape(size)


def softmax(self, dim, half_to_float=False):
    return jax.nn.softmax(self, dim)


def log_softmax(self, dim, half_to_float=False):
    return jax.nn.log_softmax(self, dim)


def power(self, exponent):
    return jnp.power(self, exponent)


def polygamma(n, self):
    return jax.scipy.special.polygamma(n, self) if n else jax.scipy.special.digamma(self)


def clamp(self, min=None, max=None):
    return jnp.clip(self, min, max)


def nan_to_num(self, nan=None, posinf=None, neginf=None):
    return jnp.nan_to_num(self, nan=nan or 0.0, posinf=posinf, neginf=neginf)


def masked_fill(self, mask, value):
    return jnp.where(mask, jnp.asarray(value, self.dtype), self)


def zeros(size, dtype=None, *_):
    return jnp.zeros(size, dtype)


def zeros_like(self, dtype=None, *_):
    return jnp.zeros(self.shape, dtype or self.dtype)


def new_zeros(self, size, dtype=None, *_):
    return jnp.zeros(size, dtype or self.dtype)


def ones(size, dtype=None, *_):
    return jnp.ones(size, dtype)


def ones_like(self, dtype=None, *_):
    return jnp.ones(self.shape, dtype or self.dtype)


def new_ones(self, size, dtype=None, *_):
    return jnp.ones(size, dtype or self.dtype)


def full(size, fill_value, dtype=None, *_):
    return jnp.full(size, fill_value, dtype)


def full_like(self, fill_value, dtype=None, *_):
    return jnp.full(self.shape, fill_value, dtype or self.dtype)


def new_full(self, size, fill_value, dtype=None, *_):
    return jnp.full(size, fill_value, dtype or self.dtype)


def scalar_tensor(s, dtype=None, *_):
    return jnp.asarray(s, dtype)


def arange(start, end, step=1, dtype=None, *_):
    return jnp.arange(start, end, step, dtype)


def eye(n, m, dtype=None, *_):
    return jnp.eye(n, m, dtype=dtype)


def detach(self):
    return jax.lax.stop_gradient(self)


def to(self, dtype, *_):
    return self.astype(dtype)


def flatten(self, start_dim=0, end_dim=-1):
    rank = max(self.ndim, 1)
    first, last = start_dim % rank, end_dim % rank
    return self.reshape((*self.shape[:first], -1, *self.shape[last + 1 :]))


def swapaxes(self, dim0, dim1):
    return jnp.swapaxes(self, dim0, dim1) if self.ndim else self


def expand(self, size, implicit=False):
    missing = len(size) - self.ndim
    sizes = [self.shape[i - missing] if n == -1 else n for i, n in enumerate(size)]
    return jnp.broadcast_to(self, sizes)


def squeeze(self, dim):
    dims = [dim] if isinstance(dim, int) else dim
    return jnp.squeeze(self, tuple(d for d in dims if self.ndim and self.shape[d] == 1))


def narrow(self, dim, start, length):
    first = start + self.shape[dim] if start < 0 else start
    return jax.lax.slice_in_dim(self, first, first + length, axis=dim)


def select(self, dim, index):
    return jnp.take(self, index, axis=dim)


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
    return jnp.concatenate(parts, dim)


def cat_backward(grad, lengths, dim):
    return split_with_sizes(grad, lengths, dim)


def sum_backward(grad, sizes, dim, keepdim):
    axes = _axes(dim)
    if axes is not None and not keepdim:
        rank = len(sizes)
        axes = [axes] if isinstance(axes, int) else axes
        grad = jnp.expand_dims(grad, tuple(sorted(axis % rank for axis in axes)) if rank else ())
    return jnp.broadcast_to(grad, sizes)


def flip(self, dims):
    return jnp.flip(self, tuple(dims)) if self.ndim else self


def roll(self, shifts, dims=()):
    if not isinstance(shifts, int) and not dims:
        (shifts,) = shifts
    return jnp.roll(self, shifts, _axis(dims))


def constant_pad(self, pad, value=0):
    """Two numbers for each dimension, from the last one on; negative ones cut off."""
    pairs = [(0, 0)] * (self.ndim - len(pad) // 2)
    pairs += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    fill = jnp.asarray(value, self.dtype)
    return jax.lax.pad(self, fill, [(low, high, 0) for low, high in pairs])


def index(self, indices):
    return self[tuple(slice(None) if i is None else i for i in indices)]


def index_put(self, indices, values, accumulate=False):
    place = self.at[tuple(slice(None) if i is None else i for i in indices)]
    values = jnp.asarray(values).astype(self.dtype)
    return place.add(values) if accumulate else place.set(values)


def index_select(self, dim, index):
    return jnp.take(self, index, axis=dim)


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
