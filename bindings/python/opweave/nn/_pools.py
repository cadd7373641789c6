"""Windows of volumes, and what undoes or generalises windows: of operators on images and sequences.

A maximum or a sum over a window of three dimensions is one over two of them, and then over the third.
"""

import opweave
from opweave._autocast_functions import computed_in as _computed_in
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable
from opweave._results import with_out as _with_out
from opweave.nn.modules.utils import _list_with_default


def _tuple(value, n):
    """A number for each of n dimensions."""
    values = (value,) * n if isinstance(value, int) else tuple(value)
    return values * n if len(values) == 1 else values


def _volumes(name, input):
    """(volumes [N * C, D, H, W], the sizes before D)."""
    if input.dim() not in (4, 5):
        raise RuntimeError(
            f"{name}: expected a 4D or 5D (batch mode) tensor for input, but got input of size "
            f"{list(input.shape)}"
        )
    return input.reshape(-1, *input.shape[-3:]), input.shape[:-3]


def _lines(volumes):
    """[N, D, H, W] as [N * H * W, D], and what brings the lines of a result back to [N, D', H, W]."""
    n, d, h, w = volumes.shape

    def back(lines):
        return lines.reshape(n, h, w, lines.size(-1)).permute(0, 3, 1, 2)

    return volumes.permute(0, 2, 3, 1).reshape(n * h * w, d), back


def _max_of_volumes(volumes, over_images, over_lines):
    """Maxima and where they are, of a function for each step that gives both."""
    _, _, h, w = volumes.shape
    planes, places = over_images(volumes)
    lines, back = _lines(planes)
    values, depths = over_lines(lines)
    depths = back(depths)
    return back(values), depths * (h * w) + places.gather(1, depths)


def _with_sizes(results, sizes, input):
    return tuple(_as_lies(r.reshape(*sizes, *r.shape[1:]), input) for r in results)


def _as_lies(found, input):
    """A result with its channels last, if the input has them there, and contiguous else."""
    last = {4: opweave.channels_last, 5: opweave.channels_last_3d}.get(input.dim())
    is_last = last is not None and input.is_contiguous(memory_format=last)
    keeps = is_last and not input.is_contiguous()
    return found.contiguous(memory_format=last if keeps else opweave.contiguous_format)


@_computed_in("fp32", None)
def max_pool3d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, stride (None: the kernel's), padding, dilation: an int, or one for each of D, H, W.
        ceil_mode: whether a window may begin where it does not fit.
        return_indices: whether to give where in the volume each maximum is as well, as int64.

    Raises:
        RuntimeError: an input of other dimensions, or windows that do not fit.
    """
    volumes, sizes = _volumes("max_pool3d", input)
    stride = kernel_size if stride is None or stride == [] else stride
    k, s, p, d = (_tuple(v, 3) for v in (kernel_size, stride, padding, dilation))
    results = _max_of_volumes(
        volumes,
        lambda x: _F.max_pool2d(x, k[1:], s[1:], p[1:], d[1:], ceil_mode, True),
        lambda x: _F.max_pool1d(x, k[0], s[0], p[0], d[0], ceil_mode, True),
    )
    values, indices = _with_sizes(results, sizes, input)
    return (values, indices) if return_indices else values


def _window_lengths(n, out, k, s, p, with_padding):
    """How many elements each window along a dimension has."""
    starts = [i * s - p for i in range(out)]
    ends = [min(start + k, n + p) for start in starts]
    if with_padding:
        return [end - start for start, end in zip(starts, ends, strict=True)]
    return [min(end, n) - max(start, 0) for start, end in zip(starts, ends, strict=True)]


def _window_sizes(sizes, outs, k, s, p, with_padding, like):
    """The elements of each window of a volume, as a tensor of `outs`."""
    total = like.new_ones(())
    for i in range(3):
        lengths = _window_lengths(sizes[i], outs[i], k[i], s[i], p[i], with_padding)
        total = total.unsqueeze(-1) * like.new_tensor(lengths)
    return total


@_with_out
@_computed_in("fp32", None)
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

    Raises:
        RuntimeError: an input of other dimensions, windows that do not fit, or a divisor of zero.
    """
    volumes, sizes = _volumes("avg_pool3d", input)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    stride = kernel_size if stride is None or stride == [] else stride
    k, s, p = (_tuple(v, 3) for v in (kernel_size, stride, padding))
    planes = _F.avg_pool2d(volumes, k[1:], s[1:], p[1:], ceil_mode, True, 1)
    n, d, h, w = planes.shape
    columns = planes.reshape(n, 1, d, h * w)
    sums = _F.avg_pool2d(columns, (k[0], 1), (s[0], 1), (p[0], 0), ceil_mode, True, 1)
    sums = sums.reshape(n, sums.size(2), h, w)
    if divisor_override is None:
        outs = sums.shape[1:]
        divisor = _window_sizes(volumes.shape[1:], outs, k, s, p, count_include_pad, sums)
    else:
        divisor = divisor_override
    found = sums.div(divisor, rounding_mode=None if sums.is_floating_point() else "trunc")
    return found.reshape(*sizes, *found.shape[1:])


def _adaptive_sizes(name, input, output_size):
    wanted = _tuple(_list_with_default(output_size, input.shape), 3)
    if len(wanted) != 3:
        raise RuntimeError(f"{name}: output_size must be 3 numbers, got {wanted}")
    if min(wanted) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {wanted}"
        )
    volumes, sizes = _volumes(name, input)
    return volumes, sizes, wanted


@_computed_in("fp32", None)
def adaptive_avg_pool3d(input, output_size):
    """Means of windows of (N, C, D, H, W) or (C, D, H, W), chosen so that there are `output_size`.

    Args:
        output_size: an int, or one for each of D, H, W; None for the input's.

    Raises:
        RuntimeError: an input of other dimensions.
    """
    volumes, sizes, wanted = _adaptive_sizes("adaptive_avg_pool3d", input, output_size)
    lines, back = _lines(_F.adaptive_avg_pool2d(volumes, wanted[1:]))
    (found,) = _with_sizes([back(_F.adaptive_avg_pool1d(lines, wanted[0]))], sizes, input)
    return found


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maxima of windows of (N, C, H, W) or (C, H, W), chosen so that there are `output_size`.

    Args:
        output_size: an int, or one for each of H, W; None for the input's.
        return_indices: also where in the input's planes they are.
    """
    return _F.adaptive_max_pool2d(
        input, _list_with_default(output_size, input.shape), return_indices
    )


@_computed_in("fp32", None)
def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Maxima of windows of (N, C, D, H, W) or (C, D, H, W), chosen so that there are `output_size`.

    Args:
        output_size: an int, or one for each of D, H, W; None for the input's.
        return_indices: whether to give where in the volume each maximum is as well, as int64.

    Raises:
        RuntimeError: an input of other dimensions.
    """
    volumes, sizes, wanted = _adaptive_sizes("adaptive_max_pool3d", input, output_size)
    results = _max_of_volumes(
        volumes,
        lambda x: _F.adaptive_max_pool2d(x, wanted[1:], True),
        lambda x: _F.adaptive_max_pool1d(x, wanted[0], True),
    )
    values, indices = _with_sizes(results, sizes, input)
    return (values, indices) if return_indices else values


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


@_computed_in("fp32", None)
def max_pool3d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool3d's maxima and their places."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool1d's maxima and their places."""
    return _F.adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool2d's maxima and their places."""
    return adaptive_max_pool2d(input, output_size, True)


@_computed_in("fp32", None)
def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool3d's maxima and their places."""
    return adaptive_max_pool3d(input, output_size, True)


# --- back from maxima ------------------------------------------------------------------------------------
def _unpooled_sizes(sizes, k, s, p, output_size):
    """Those of the input that the windows were of; `output_size` within a step of what they come to."""
    default = [(n - 1) * s[i] - 2 * p[i] + k[i] for i, n in enumerate(sizes)]
    if output_size is None:
        return default
    wanted = list(output_size)
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
    if input.dim() not in (n + 1, n + 2) or indices.shape != input.shape:
        raise RuntimeError(
            f"{name}: expected an input of {n + 1} or {n + 2} dimensions and indices of its shape, but got "
            f"{list(input.shape)} and {list(indices.shape)}"
        )
    if indices.dtype is not opweave.int64:
        raise RuntimeError(
            f"{name}: elements in indices should be type int64 but got: {indices.dtype}"
        )
    k, p = _tuple(kernel_size, n), _tuple(padding, n)
    s = k if stride is None else _tuple(stride, n)
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


# --- norms of windows -----------------------------------------------------------------------------
def _lp_pool(pool, n, input, norm_type, kernel_size, stride, ceil_mode):
    k = _tuple(kernel_size, n)
    stride = k if stride is None else _tuple(stride, n)
    means = pool(input.pow(norm_type), k, stride, 0, ceil_mode)
    sums = means.sign() * means.abs().relu() * opweave.Size(k).numel()
    return sums.pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The sum of powers of each window, and its root: (N, C, L) or (C, L)."""
    return _lp_pool(_F.avg_pool1d, 1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The sum of powers of each window, and its root: (N, C, H, W) or (C, H, W)."""
    return _lp_pool(_F.avg_pool2d, 2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The sum of powers of each window, and its root: (N, C, D, H, W) or (C, D, H, W)."""
    return _lp_pool(avg_pool3d, 3, input, norm_type, kernel_size, stride, ceil_mode)


_make_overridable(globals())
