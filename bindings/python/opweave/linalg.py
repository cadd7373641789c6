"""Linear algebra: the operators of ops.yaml whose python_module is `linalg`, and functions that
choose of them or have other defaults."""

from opweave import _C
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._overridable import make_overridable as _make_overridable

__all__ = ["LinAlgError", "diagonal", "matmul", "norm"]

# PyTorch's operators are called linalg_norm, its functions linalg.norm.
for _name, _function in vars(_C._linalg).items():
    if not _name.startswith("_"):
        globals()[_name.removeprefix("linalg_")] = _function
        __all__.append(_name.removeprefix("linalg_"))


class LinAlgError(RuntimeError):
    """What functions raise for matrices that they are not defined for."""


def norm(input, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """The norm of a vector or a matrix: of all elements for neither an order nor dimensions, of matrices for
    two dimensions or the name of an order, of vectors else.

    Args:
        ord: a number, "fro" or "nuc"; None is 2 of all elements.
        dim: a dimension, or one or two of them.

    Raises:
        RuntimeError: an order without dimensions for a tensor that is neither vector nor matrix; more than
            two dimensions; an order that matrices do not have.
    """
    _expect_tensor("linalg_norm", "input", input)
    options = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    if dim is not None:
        _expect_ints("linalg_norm", "dim", dim)
    dims = dim if dim is None or isinstance(dim, (tuple, list)) else [dim]
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}"
        )
    if dims is None and ord is not None and input.dim() not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{input.dim()}D."
        )
    of_matrices = len(dims) == 2 if dims is not None else input.dim() == 2
    if isinstance(ord, str) or (ord is not None and of_matrices):
        pair = [0, 1] if dims is None else list(dims)
        return _C._linalg.linalg_matrix_norm(input, ord, pair, keepdim, **options)
    order = 2 if ord is None else ord
    return _C._linalg.linalg_vector_norm(input, order, dims, keepdim, **options)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):  # noqa: N803 - PyTorch's name
    """The diagonals of matrices, as a view."""
    return _C.diagonal(A, offset, dim1, dim2)


def matmul(input, other, *, out=None):
    """The product of matrices, or of batches of them."""
    return _C.matmul(input, other) if out is None else _C.matmul(input, other, out=out)


_make_overridable(globals())
