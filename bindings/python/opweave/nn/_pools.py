"""Windows whose sizes are the input's, maxima with their places, and what undoes maxima."""

from opweave import _C
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable
from opweave.nn.modules.utils import _list_with_default


def _sizes(name, input, output_size):
    """Those asked for, with the input's where None stands."""
    _expect_tensor(name, "input", input)
    return _list_with_default(output_size, input.shape)


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
    rest = padding, ceil_mode, count_include_pad, divisor_override
    if out is None:
        return _F.avg_pool3d(input, kernel_size, stride, *rest)
    steps = [] if stride is None else stride
    return _C._nn.avg_pool3d(input, kernel_size, steps, *rest, out=out)


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


_make_overridable(globals())
