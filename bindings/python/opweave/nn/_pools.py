"""Windows whose sizes are the input's, maxima with their places, and what undoes maxima."""

import opweave
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._autocast_functions import computed_in as _computed_in
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable
from opweave._results import with_out as _with_out
from opweave.nn.modules.utils import _list_with_default, _ntuple


def _sizes(name, input, output_size):
    """Those asked for, with the input's where None stands."""
    _expect_tensor(name, "input", input)
    return _list_with_default(output_size, input.shape)


@_with_out
def avg_pool3d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
    *,
    out=None,
):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, stride (None: the kernel's), padding: an int, or one for each of D, H, W.
        ceil_mode: whether a window may begin where it does not fit.
        count_include_pad: whether zeros of the padding count.
        divisor_override: what sums are divided by in place of the number of elements.
    """
    return _F.avg_pool3d(
        input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def adaptive_avg_pool3d(input, output_size):
    """Means of windows of (N, C, D, H, W) or (C, D, H, W), chosen so that there are `output_size`.

    Args:
        output_size: an int, or one for each of D, H, W; None for the input's.
    """
    return _F.adaptive_avg_pool3d(input, _sizes("adaptive_avg_pool3d", input, output_size))


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maxima of windows of (N, C, H, W) or (C, H, W), chosen so that there are `output_size`.

    Args:
        output_size: an int, or one for each of H, W; None for the input's.
        return_indices: also where in the input's planes they are.
    """
    sizes = _sizes("adaptive_max_pool2d", input, output_size)
    return _F.adaptive_max_pool2d(input, sizes, bool(return_indices))


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Maxima of windows of (N, C, D, H, W) or (C, D, H, W), chosen so that there are `output_size`.

    Args:
        output_size: an int, or one for each of D, H, W; None for the input's.
        return_indices: whether to give where in the volume each maximum is as well, as int64.
    """
    sizes = _sizes("adaptive_max_pool3d", input, output_size)
    return _F.adaptive_max_pool3d(input, sizes, bool(return_indices))


# --- maxima with their places, by the names of what gives both ------------------------------------------
def max_pool1d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool1d's maxima and their places."""
    return _F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool2d's maxima and their places."""
    return _F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool3d's maxima and their places."""
    return _F.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool1d's maxima and their places."""
    return _F.adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool2d's maxima and their places."""
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool3d's maxima and their places."""
    return adaptive_max_pool3d(input, output_size, True)


def _as_lies(found, input):
    """An image with its channels last, if the input has them there, and contiguous else."""
    is_last = input.dim() == 4 and input.is_contiguous(memory_format=opweave.channels_last)
    keeps = is_last and not input.is_contiguous()
    return found.contiguous(
        memory_format=opweave.channels_last if keeps else opweave.contiguous_format
    )


# --- back from maxima ------------------------------------------------------------------------------------
def _unpooled_sizes(sizes, k, s, p, output_size):
    """Those of the input that the windows were of; `output_size` within a step of what they come to."""
    default = [(n - 1) * s[i] - 2 * p[i] + k[i] for i, n in enumerate(sizes)]
    if output_size is None:
        return default
    wanted = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size]
    if len(wanted) == len(k) + 2:
        wanted = wanted[2:]
    if len(wanted) != len(k):
        raise ValueError(
            f"output_size should be a sequence containing {len(k)} or {len(k) + 2} elements, but it has a "
            f"length of '{len(wanted)}'"
        )
    for i, n in enumerate(wanted):
        if not default[i] - s[i] < n < default[i] + s[i]:
            raise ValueError(
                f'invalid output_size "{wanted}" (dim {i} must be between {default[i] - s[i]} and '
                f"{default[i] + s[i]})"
            )
    return wanted


def _max_unpool(name, n, input, indices, kernel_size, stride, padding, output_size):
    _expect_tensor(name, "input", input)
    _expect_tensor(name, "indices", indices)
    if input.dim() not in (n + 1, n + 2) or indices.shape != input.shape:
        raise RuntimeError(
            f"{name}: expected an input of {n + 1} or {n + 2} dimensions and indices of its shape, but got "
            f"{list(input.shape)} and {list(indices.shape)}"
        )
    if indices.dtype is not opweave.int64:
        raise RuntimeError(
            f"{name}: elements in indices should be type int64 but got: {indices.dtype}"
        )
    asked = {"kernel_size": kernel_size, "padding": padding}
    asked |= {"stride": stride, "output_size": output_size}
    for argument, value in asked.items():
        if value is not None or argument in ("kernel_size", "padding"):
            _expect_ints(name, argument, value)
    each = _ntuple(n)
    k, p = each(kernel_size), each(padding)
    s = each(kernel_size if stride is None else stride)
    for what, numbers in (("kernel_size", k), ("stride", s), ("padding", p)):
        if len(numbers) != n:
            raise RuntimeError(
                f"{name}: {what} must be one number or one for each of {n} dimensions, but got {numbers}"
            )
    if min(s) <= 0:
        raise RuntimeError(f"{name}: strides should be greater than zero, but got stride: {s}")
    wanted = _unpooled_sizes(input.shape[-n:], k, s, p, output_size)
    flat = input.new_zeros(*input.shape[:-n], opweave.Size(wanted).numel())
    found = flat.scatter(-1, indices.flatten(-n), input.flatten(-n)).unflatten(-1, wanted)
    return _as_lies(found, input) if n == 2 else found


@_computed_in("fp32", None)
def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the maxima of max_pool1d where they were found: (N, C, L) or (C, L).

    Raises:
        RuntimeError: shapes that do not agree, or indices outside of the result.
        ValueError: an `output_size` that such windows do not come from.
    """
    return _max_unpool("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


@_computed_in("fp32", None)
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """As max_unpool1d, of (N, C, H, W) or (C, H, W)."""
    return _max_unpool("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


@_computed_in("fp32", None)
def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """As max_unpool1d, of (N, C, D, H, W) or (C, D, H, W)."""
    return _max_unpool("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)


_make_overridable(globals())
