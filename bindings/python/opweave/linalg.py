"""Linear algebra: the operators of ops.yaml whose python_module is `linalg`, and those that
have other defaults."""

from opweave import _C
from opweave._overridable import make_overridable as _make_overridable

__all__ = ["LinAlgError", "diagonal"]

# PyTorch's operators are called linalg_norm, its functions linalg.norm.
for _name, _function in vars(_C._linalg).items():
    if not _name.startswith("_"):
        globals()[_name.removeprefix("linalg_")] = _function
        __all__.append(_name.removeprefix("linalg_"))


class LinAlgError(RuntimeError):
    """What functions raise for matrices that they are not defined for."""


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):  # noqa: N803 - PyTorch's name
    """The diagonals of matrices, as a view."""
    return _C.diagonal(A, offset, dim1, dim2)


_make_overridable(globals())
