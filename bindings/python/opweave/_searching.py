"""Functions of the top module that find places: in sorted values, and in tensors of several dimensions."""

import functools

import opweave
from opweave._arguments import expect_tensor
from opweave._results import with_out

__all__ = ["bucketize", "searchsorted", "unravel_index"]


def _with_out_of_places(function):
    """with_out(), of a tensor that has the dtype of places and no other."""
    writing = with_out(function)

    @functools.wraps(function)
    def checked(*args, out=None, out_int32=False, **kwargs):
        wanted = opweave.int32 if out_int32 else opweave.int64
        if isinstance(out, opweave.Tensor) and out.dtype is not wanted:
            raise RuntimeError(
                f"{function.__name__}(): output tensor's dtype is wrong, it can only be Int(int32) or Long"
                f"(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype "
                f"{out.dtype} and out_int32 flag is {out_int32}"
            )
        return writing(*args, out=out, out_int32=out_int32, **kwargs)

    return checked


def _right(name, right, side):
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name}(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            f"{name}(): side and right can't be set to opposites, got side of left while right was True"
        )
    return right or side == "right"


def _check_sorted(boundaries, values, sorter):
    if boundaries.dim() == 0:
        raise RuntimeError(
            "searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1"
        )
    if boundaries.dim() != 1:
        if values.dim() == 0:
            raise RuntimeError(
                "searchsorted(): input value can be a scalar only when boundaries tensor dimension "
                "is 1, but got "
                f"boundaries tensor dim({boundaries.dim()}) and input value's dim(0) numel(1)"
            )
        if boundaries.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                "dimensions of boundaries "
                f"tensor and input value tensor must match, but got boundaries tensor "
                f"{list(boundaries.shape)} and "
                f"input value tensor {list(values.shape)}"
            )
    if sorter is not None and sorter.shape != boundaries.shape:
        raise RuntimeError(
            "searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(boundaries.shape)} and got sorter tensor {list(sorter.shape)}"
        )


def _number_beside(edges, number):
    """(A number as a tensor, the dtype in which it is compared): floats compare in their dtype, whole numbers
    in one that the number has a place in, where there is one."""
    kind = opweave.float64 if isinstance(number, float) else opweave.int64
    wide = edges.dtype
    if not edges.is_floating_point() and opweave.can_cast(edges.dtype, kind):
        wide = kind
    return opweave.tensor(number, dtype=wide, device=edges.device), wide


@_with_out_of_places
def searchsorted(
    sorted_sequence, input, *, out_int32=False, right=False, side=None, out=None, sorter=None
):
    """Where values would have to be put so that sorted values stay sorted; by halving.

    Args:
        sorted_sequence: (*, n), sorted along the last dimension; or (n) for all values.
        input: a number, or values (*, m).
        out_int32: whether the result is of int32; else of int64.
        right, side: behind equal values ("right"), or before them ("left").
        sorter: indices that sort `sorted_sequence`, if it is not.

    Raises:
        RuntimeError: shapes that do not agree; a side that is none, or contradicts `right`.
    """
    expect_tensor("searchsorted", "sorted_sequence", sorted_sequence)
    right = _right("searchsorted", right, side)
    if isinstance(input, opweave.Tensor):
        wide = opweave.result_type(sorted_sequence, input)
    else:
        input, wide = _number_beside(sorted_sequence, input)
    _check_sorted(sorted_sequence, input, sorter)
    edges = sorted_sequence if sorter is None else sorted_sequence.gather(-1, sorter)
    found = _halve(edges.detach().to(wide), input.detach().to(wide), right)
    return found.to(opweave.int32) if out_int32 else found


def _halve(edges, values, right):
    n = edges.size(-1)
    shared = edges.dim() == 1
    rows = values.reshape(-1) if shared else values
    low = opweave.zeros_like(rows, dtype=opweave.int64)
    if n == 0:
        return low.reshape(values.shape)
    high = opweave.full_like(low, n)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        at = middle.clamp(max=n - 1)
        edge = edges[at] if shared else edges.gather(-1, at)
        # NaN is behind all else.
        goes_right = (
            (edge <= rows) if right else ((edge < rows) | ((rows != rows) & (edge == edge)))
        )
        if right:
            goes_right = goes_right | (rows != rows)
        goes_right = goes_right & (middle < high)
        low = opweave.where(goes_right, middle + 1, low)
        high = opweave.where(goes_right, high, opweave.minimum(middle, high))
    return low.reshape(values.shape)


@_with_out_of_places
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """Between which of the sorted `boundaries` (n) each value lies: 0 to n.

    Args:
        input: a number or a tensor.
        right: whether a bucket holds its lower boundary, and not its upper one.

    Raises:
        RuntimeError: boundaries of several dimensions.
    """
    expect_tensor("bucketize", "boundaries", boundaries)
    if boundaries.dim() != 1:
        raise RuntimeError(
            f"bucketize(): boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})"
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def unravel_index(indices, shape):
    """The coordinates, a tensor for each dimension, of places in a tensor of a shape that is read in order.

    Raises:
        ValueError: a shape with negative sizes, or none for indices that there are.
        TypeError: indices that are no integers.
    """
    if not isinstance(indices, opweave.Tensor):
        raise TypeError(
            f"unravel_index: expected a tensor of indices, but got {type(indices).__name__}"
        )
    if indices.is_floating_point() or indices.dtype is opweave.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    indices, found = indices.long(), []
    for n in reversed(shape):
        found.append(indices % n)
        indices = indices // n
    return tuple(found[::-1])
