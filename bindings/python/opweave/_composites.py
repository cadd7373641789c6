"""Functions of the top module that call several operators."""

import warnings

from opweave import _C
from opweave._arguments import are_ints as _are_ints
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_tensors as _expect_tensors
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable
from opweave.functional import atleast_2d, broadcast_tensors

__all__ = ["block_diag", "broadcast_shapes", "cartesian_prod", "meshgrid", "unravel_index"]


def _listed(tensors):
    """The tensors of a call with several, or with one sequence of them."""
    only = tensors[0] if len(tensors) == 1 else None
    return list(only) if isinstance(only, (list, tuple)) else list(tensors)


# --- grids and products ----------------------------------------------------------------------------------
def meshgrid(*tensors, indexing=None):
    """Vectors as coordinates of a grid: a tensor of the grid's shape for each.

    Args:
        tensors: vectors or numbers, or one sequence of them.
        indexing: "ij" for the vectors' own order, "xy" with the first two dimensions swapped; without it
            "ij", and a warning.

    Raises:
        RuntimeError: no vectors, another indexing, a tensor of two dimensions, different dtypes.
    """
    tensors = _listed(tensors)
    if indexing is None:
        indexing = "ij"
        warnings.warn(
            "meshgrid: in an upcoming release of PyTorch the indexing argument will be required",
            stacklevel=2,
        )
    _expect_tensors("meshgrid", tensors)
    if not isinstance(indexing, str):
        raise TypeError(
            f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}"
        )
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.dim() > 1:
            raise RuntimeError(
                f"meshgrid(): expected scalar or vector tensors, but got one of {t.dim()}-D"
            )
        if t.dtype != tensors[0].dtype or t.device != tensors[0].device:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype and device")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f"meshgrid: indexing must be one of 'xy' or 'ij', but received: {indexing}"
        )
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors[:2] = tensors[1::-1]
    shape = [t.numel() for t in tensors]
    ones = [1] * len(shape)
    grids = [
        t.reshape([*ones[:i], -1, *ones[i + 1 :]]).expand(shape) for i, t in enumerate(tensors)
    ]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def cartesian_prod(*tensors):
    """All combinations of one element of each vector, as rows; of one vector, itself."""
    tensors = _listed(tensors)
    _expect_tensors("cartesian_prod", tensors)
    for t in tensors:
        if t.dim() != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return _C.stack([g.flatten() for g in grids], 1)


def block_diag(*tensors):
    """Matrices along the diagonal of one matrix of zeros; vectors are rows."""
    _expect_tensors("block_diag", tensors)
    blocks = [atleast_2d(t) for t in tensors] or [_C.empty(1, 0)]
    for i, t in enumerate(blocks):
        if t.dim() != 2:
            raise RuntimeError(
                f"block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.dim()} "
                "dimensions"
            )
    width, left, rows = sum(t.size(1) for t in blocks), 0, []
    for t in blocks:
        rows.append(_F.pad(t, (left, width - left - t.size(1))))
        left += t.size(1)
    return _C.cat(rows)


def broadcast_shapes(*shapes):
    """The shape to which shapes broadcast, without making tensors of them.

    Raises:
        RuntimeError: shapes that do not broadcast, or with a negative size; what is no shape.
    """
    for shape in shapes:
        if not _are_ints(shape):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{shape!r}"
            )
    sizes = [tuple(s) if isinstance(s, (tuple, list)) else (s,) for s in shapes]
    parts = [_C.empty(s, device="meta") for s in sizes]
    return broadcast_tensors(*parts)[0].shape if parts else _C.Size([])


def unravel_index(indices, shape):
    """The coordinates, a tensor for each dimension, of places in a tensor of a shape that is read in order.

    Raises:
        ValueError: a shape with negative sizes, or without places for indices that there are.
        TypeError: indices that are no integers.
    """
    if not isinstance(indices, _C.Tensor):
        raise TypeError(
            f"unravel_index: expected a tensor of indices, but got {type(indices).__name__}"
        )
    if indices.is_floating_point() or indices.dtype is _C.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (tuple, list)):
        _expect_ints("unravel_index", "shape", shape)
        shape = (shape,)
    shape = tuple(shape)
    for n in shape:
        if isinstance(n, _C.Tensor) or not hasattr(n, "__index__"):
            raise TypeError(
                f"unravel_index(): expected 'shape' sequence to only contain ints, but got "
                f"{type(n).__name__}"
            )
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    if indices.numel() and any(n == 0 for n in shape):
        raise ValueError(
            f"'shape' cannot have zero dimensions when 'indices' is non-empty, but got {shape}"
        )
    indices, found = indices.long(), []
    for n in reversed(shape):
        found.append(indices % n)
        indices = indices // n
    return tuple(found[::-1])


_make_overridable(globals())
