"""vmap, by the module from which programs took it before it had a public name."""

from opweave.func import _vmap as _implementation


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    """As opweave.vmap(); results of None are passed through by it as well."""
    return _implementation.vmap(func, in_dims, out_dims)


def vmap(func, in_dims=0, out_dims=0):
    """As opweave.vmap()."""
    return _implementation.vmap(func, in_dims, out_dims)
