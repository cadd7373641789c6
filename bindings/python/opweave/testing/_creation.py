"""make_tensor(): random tensors of any dtype for tests."""

import math
import warnings

from opweave import _C
from opweave._dtype_info import finfo, iinfo

_LOW, _HIGH = -9, 9  # the range of a dtype unless another is given; whole numbers include both ends


def _limits(dtype):
    """The smallest number of a dtype, and the end of its range, which whole numbers do not reach."""
    if dtype == _C.bool:
        return 0, 2
    if dtype.is_floating_point:
        return finfo(dtype).min, finfo(dtype).max
    return iinfo(dtype).min, iinfo(dtype).max + 1


def _defaults(dtype):
    if dtype == _C.bool:
        return 0, 2
    if dtype.is_floating_point:
        return _LOW, _HIGH
    return (_LOW if iinfo(dtype).min < 0 else 0), _HIGH + 1


def _check_range(low, high, dtype):
    """
    Raises:
        ValueError: no range, or one without numbers of the dtype.
    """
    if any(isinstance(v, float) and math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if low == high and dtype.to_real().is_floating_point:
        warnings.warn(
            "a `low` that equals `high` is deprecated: use full().", FutureWarning, stacklevel=4
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    least, end = _limits(dtype.to_real())
    if high < least or low >= end:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), "
            f"but {dtype} only supports [{least}, {end})"
        )


def _range(low, high, dtype):
    """From where to where numbers are drawn: of whole ones, all that lie between."""
    part = dtype.to_real()  # of a complex number both are drawn
    default_low, default_high = _defaults(part)
    low = default_low if low is None else low
    high = default_high if high is None else high
    _check_range(low, high, dtype)
    least, end = _limits(part)
    low, high = max(low, least), min(high, end)
    return (low, high) if part.is_floating_point else (math.ceil(low), math.ceil(high))


def _uniform(shape, low, high, dtype, device):
    # A range that is wider than the largest number is drawn at half its size.
    wide = high - low > finfo(dtype).max
    result = _C.empty(shape, dtype=dtype, device=device)
    result.uniform_(low / 2 if wide else low, high / 2 if wide else high)
    return result.mul_(2) if wide else result


def _drawn(shape, low, high, dtype, device):
    if dtype.is_complex:
        return _drawn((*shape, 2), low, high, dtype.to_real(), device).view(dtype).squeeze(-1)
    if dtype.is_floating_point and dtype.itemsize == 1:  # too coarse to draw in
        return _uniform(shape, low, high, _C.float32, device).to(dtype)
    if dtype.is_floating_point:
        return _uniform(shape, float(low), float(high), dtype, device)
    return _C.randint(low, high, shape, dtype=dtype, device=device)


def _replace_zeros(tensor):
    """By the smallest positive number, in place; counted in a dtype that every operator takes."""
    floating = tensor.dtype.to_real().is_floating_point
    least = finfo(tensor.dtype).tiny if floating else 1
    wide = (
        tensor
        if floating and tensor.element_size() > 1
        else tensor.to(_C.float32 if floating else _C.int64)
    )
    tensor.copy_(wide.masked_fill(wide == 0, least))


def _check(dtype, requires_grad, noncontiguous, memory_format):
    if not isinstance(dtype, _C.dtype):
        raise TypeError(
            f"make_tensor(): the dtype {dtype!r} is not supported, expected one of numbers"
        )
    if requires_grad and not dtype.to_real().is_floating_point:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got noncontiguous={noncontiguous} and memory_format={memory_format}"
        )


def make_tensor(
    *shape,
    dtype,
    device,
    low=None,
    high=None,
    requires_grad=False,
    noncontiguous=False,
    exclude_zero=False,
    memory_format=None,
):
    """A tensor of random numbers in [low, high), evenly distributed.

    Args:
        shape: its sizes, one by one or as one sequence.
        dtype: its dtype.
        device: where it lies.
        low: the smallest number, or part of a complex one; -9 unless given, 0 for dtypes without negatives.
        high: where they end; whole numbers are below 10 unless given, others below 9, bools below 2.
        requires_grad: whether autograd records what is computed with it.
        noncontiguous: whether its elements have gaps between them; of one element or none they have not.
        exclude_zero: zeros become the smallest positive number, 1 of whole ones.
        memory_format: the order of its dimensions in memory.

    Raises:
        TypeError: a dtype that is none, sizes that are none.
        ValueError: a range that is empty or outside of the dtype; parameters that exclude one another.
    """
    _check(dtype, requires_grad, noncontiguous, memory_format)
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = tuple(shape[0]) if isinstance(shape[0], (tuple, list)) else shape
    result = _drawn(shape, *_range(low, high, dtype), dtype, device)
    if noncontiguous and result.numel() > 1:
        result = result.repeat_interleave(2, dim=-1)[..., ::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        _replace_zeros(result)
    return result.requires_grad_(requires_grad)
