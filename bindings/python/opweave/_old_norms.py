"""Norms under the names that they had before those of `linalg`."""

import warnings

from opweave import _C
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._overridable import make_overridable as _make_overridable


def _deprecated(name, new):
    warnings.warn(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a "
        f"future PyTorch release. Please use `linalg.{new}` instead",
        stacklevel=3,
    )


def _expect_norm_of(name, input, dim, keepdim):
    _expect_tensor(name, "input", input)
    _expect_ints(name, "dim", dim)
    _expect_bool(name, "keepdim", keepdim)


def frobenius_norm(input, dim, keepdim=False):
    """The root of the sum of squares along one or two dimensions.

    Raises:
        RuntimeError: more dimensions.
    """
    _expect_norm_of("frobenius_norm", input, dim, keepdim)
    _deprecated("frobenius_norm", "vector_norm(A, 2., dim, keepdim)")
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if len(dims) > 2:
        raise RuntimeError(
            f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead."
        )
    return input.norm(2, dims or None, keepdim)


def nuclear_norm(input, dim=(-2, -1), keepdim=False):
    """The sum of singular values of matrices in two dimensions.

    Raises:
        RuntimeError: fewer dimensions.
    """
    _deprecated("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)")
    if isinstance(dim, bool):
        dim, keepdim = (-2, -1), dim
    _expect_norm_of("nuclear_norm", input, dim, keepdim)
    dim = dim if isinstance(dim, (tuple, list)) else (dim,)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple, but got {tuple(dim)}")
    if input.dim() < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    return _C._linalg.linalg_matrix_norm(input, "nuc", list(dim), keepdim)


_make_overridable(globals())
