"""Functions of networks that call several operators: windows, pixels, dropout, activations."""

import math
import warnings

import opweave
from opweave import _C
from opweave._autocast_functions import computed_in as _computed_in
from opweave._C import _nn_functional as _F
from opweave._layouts import as_it_lies as _as_it_lies
from opweave._layouts import channels_last_of as _channels_last_of
from opweave._overridable import make_overridable as _make_overridable
from opweave._results import expect_floating as _expect_floating


def _pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)


# --- windows ------------------------------------------------------------------------------------------------
def _window_counts(sizes, kernel, dilation, padding, stride):
    """How many windows there are along each of two dimensions."""
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, d, p, s in zip(sizes, kernel, dilation, padding, stride, strict=True)
    ]
    if min(counts) < 1:
        raise RuntimeError(
            f"expected windows within spatial sizes {tuple(sizes)} but kernel_size={kernel}, "
            f"dilation={dilation}, padding={padding}, stride={stride} give {tuple(counts)}"
        )
    return counts


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images (N, C, H, W) or (C, H, W) as columns (N, C * kernel, windows).

    Raises:
        RuntimeError: an input of other dimensions, or no window in it.
    """
    kernel, dilation, padding, stride = map(_pair, (kernel_size, dilation, padding, stride))
    if input.dim() not in (3, 4):
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor for input, but got input of size {list(input.shape)}"
        )
    images = input if input.dim() == 4 else input.unsqueeze(0)
    rows, columns = _window_counts(images.shape[2:], kernel, dilation, padding, stride)
    images = _F.pad(images, [padding[1]] * 2 + [padding[0]] * 2)
    for d in (0, 1):
        reach = dilation[d] * (kernel[d] - 1) + 1
        images = images.unfold(2 + d, reach, stride[d])[..., :: dilation[d]]
    found = images.permute(0, 1, 4, 5, 2, 3)
    found = found.reshape(found.size(0), found.size(1) * kernel[0] * kernel[1], rows * columns)
    return found if input.dim() == 4 else found.squeeze(0)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Images (N, C, *output_size) of columns as unfold() gives them, summed where windows overlap.

    Raises:
        RuntimeError: columns whose sizes do not belong to windows of such images.
    """
    size, kernel, dilation, padding, stride = map(
        _pair, (output_size, kernel_size, dilation, padding, stride)
    )
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2D or 3D (batch mode) tensor for input, but got input of size {list(input.shape)}"
        )
    columns = input if input.dim() == 3 else input.unsqueeze(0)
    counts = _window_counts(size, kernel, dilation, padding, stride)
    elements = kernel[0] * kernel[1]
    if columns.size(1) % elements or columns.size(2) != counts[0] * counts[1]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected a multiple of {elements} rows and {counts[0] * counts[1]} columns, "
            f"but got input of size {list(input.shape)}"
        )
    parts = columns.reshape(columns.size(0), -1, *kernel, *counts)
    padded = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    images = parts.new_zeros(*parts.shape[:2], *padded)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            places = [
                slice(d * k, d * k + s * n, s)
                for d, k, s, n in zip(dilation, (i, j), stride, counts, strict=True)
            ]
            images[:, :, places[0], places[1]] += parts[:, :, i, j]
    top, left = padding
    images = images[:, :, top : top + size[0], left : left + size[1]]
    return images if input.dim() == 3 else images.squeeze(0)


# --- pixels and channels -------------------------------------------------------------------------------
def _copied(parts, sizes, input):
    """As the input lies; never the input, as it is where nothing changes places."""
    found = opweave.ops._unsafe_view(parts.clone(memory_format=opweave.contiguous_format), sizes)
    return _as_it_lies(found, input)


def pixel_shuffle(input, upscale_factor):
    """(*, C * r², H, W) as (*, C, H * r, W * r)."""
    r = upscale_factor
    if input.dim() < 3 or r < 1 or input.size(-3) % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects at least 3 dimensions and its input's 'channel' dimension to be divisible "
            f"by the square of upscale_factor, but got input of size {list(input.shape)} and factor {r}"
        )
    *lead, c, h, w = input.shape
    parts = input.reshape(math.prod(lead), c // (r * r), r, r, h, w).permute(0, 1, 4, 2, 5, 3)
    return _copied(parts, (*lead, c // (r * r), h * r, w * r), input)


def pixel_unshuffle(input, downscale_factor):
    """(*, C, H * r, W * r) as (*, C * r², H, W)."""
    r = downscale_factor
    if input.dim() < 3 or r < 1 or input.size(-2) % r or input.size(-1) % r:
        raise RuntimeError(
            "pixel_unshuffle expects at least 3 dimensions and height and width to be divisible by "
            f"downscale_factor, but got input of size {list(input.shape)} and factor {r}"
        )
    *lead, c, h, w = input.shape
    parts = input.reshape(math.prod(lead), c, h // r, r, w // r, r).permute(0, 1, 3, 5, 2, 4)
    return _copied(parts, (*lead, c * r * r, h // r, w // r), input)


def channel_shuffle(input, groups):
    """The channels of (N, C, *) with those of the groups in turns."""
    if input.dim() < 3 or groups < 1 or input.size(1) % groups:
        raise RuntimeError(
            "channel_shuffle expects more than 2 dimensions and channels to be divisible by groups, but got "
            f"input of size {list(input.shape)} and groups {groups}"
        )
    n, c, *rest = input.shape
    found = input.reshape(n, groups, c // groups, *rest).transpose(1, 2).reshape(n, c, *rest)
    return found if _channels_last_of(input) is None else _as_it_lies(found, input)


# --- dropout of channels, activations ------------------------------------------------------------------
def _check_probability(p):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped_channels(input, p, training, inplace, dims):
    """Whole channels of (N, C, *dims) or (C, *dims)."""
    _check_probability(p)
    if inplace and (p == 0 or not training):
        return input
    single = input.dim() == dims + 1
    rows = input.unsqueeze(0) if single else input
    out = opweave.feature_dropout(rows, p, training)
    out = out.squeeze(0) if single else out
    return input.copy_(out) if inplace else out


def _expect_dims(name, input, dims):
    if input.dim() not in dims:
        warnings.warn(
            f"{name}: Received a {input.dim()}-D input to {name}, which is deprecated and will be an error: "
            f"use dropout() for it. Expected {dims[0]} or {dims[1]} dimensions, of which one is of channels",
            stacklevel=3,
        )


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Zeroes channels of (N, C, L) or (C, L) with probability p."""
    return _dropped_channels(input, p, training, inplace, 1)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zeroes channels of (N, C, H, W) with probability p; an input of three dimensions is (N, C, L)."""
    _expect_dims("dropout2d", input, (3, 4))
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d, which is taken to be (N, C, L), as by PyTorch, and "
            "not (C, H, W): use dropout1d() for it",
            stacklevel=2,
        )
    return _dropped_channels(input, p, training, inplace, 1 if input.dim() == 3 else 2)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Zeroes channels of (N, C, D, H, W) or (C, D, H, W) with probability p."""
    _expect_dims("dropout3d", input, (4, 5))
    return _dropped_channels(input, p, training, inplace, 3)


def _alpha(input, p, training, inplace, shape):
    """What is dropped becomes the negative limit of selu, and mean and variance stay."""
    _check_probability(p)
    if not training or p == 0:
        return input
    limit = -1.7580993408473766
    if p == 1:
        out = input * input.new_zeros(())
    else:
        _expect_floating("alpha_dropout", input)
        keep = opweave.empty(shape, dtype=input.dtype, device=input.device).bernoulli_(1 - p)
        a = 1.0 / math.sqrt((limit * limit * p + 1) * (1 - p))
        out = input * (keep * a) + ((keep - 1) * -1 * limit * a + limit * a * -p)
    return input.copy_(out) if inplace else out


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance of inputs of selu."""
    return _alpha(input, p, training, inplace, input.shape)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout() of whole channels of (N, C, *)."""
    if input.dim() < 2 and training and p != 0 and input.numel():
        raise RuntimeError(
            "feature_alpha_dropout: Feature dropout requires at least 2 dimensions in the input, but got "
            f"{input.dim()}"
        )
    shape = [*input.shape[:2], *[1] * (input.dim() - 2)]
    return _alpha(input, p, training, inplace, shape)


@_computed_in("lower_precision", "lower_precision")
def prelu(input, weight):
    """The number, or weight times it where it is negative; a weight for each channel, or one."""
    _expect_floating("prelu", input)
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype} and {weight.dtype}"
        )
    if weight.dim() > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}"
        )
    if weight.numel() == 1:
        weight = weight.reshape(())
    else:
        channels = input.size(1) if input.dim() >= 2 else 1
        if input.dim() == 0 or weight.numel() != channels:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
        if input.dim() > 2:
            weight = weight.reshape(-1, *[1] * (input.dim() - 2))
    return opweave.where(input > 0, input, weight * input)


def _drawn_slopes(input, lower, upper):
    if _C._is_host(input.device) and opweave.random.get_engine() == "mt19937":
        # PyTorch's CPU draws in float64, for those elements only that have a slope.
        wide = opweave.float64 if input.dtype == opweave.float64 else opweave.float32
        lower, upper = (opweave.tensor(bound, dtype=wide).item() for bound in (lower, upper))
        sloped = input <= 0
        drawn = opweave.empty(int(sloped.sum()), dtype=opweave.float64).uniform_()
        drawn = drawn * (upper - lower) + lower  # rounded twice, as there
        return opweave.ones_like(input, dtype=wide).masked_scatter(sloped, drawn.to(wide))
    return opweave.empty_like(input).uniform_(lower, upper)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """leaky_relu() whose slope is drawn for each element in training, and the mean otherwise."""
    if lower > upper:
        raise RuntimeError(
            f"Lower bound should be less than or equal to the upper bound, got {lower}, {upper}"
        )
    _expect_floating("rrelu", input)
    slope = _drawn_slopes(input, lower, upper) if training else (lower + upper) / 2
    out = opweave.where(input > 0, input, (input * slope).to(input.dtype))
    return input.copy_(out) if inplace else out


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample of the Gumbel-Softmax distribution; with hard one-hot, with the gradient of the soft one."""
    noise = -opweave.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return opweave.zeros_like(logits).scatter_(dim, index, 1.0) - soft.detach() + soft


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """(N, C, *) divided by a power of the mean of squares of `size` neighbouring channels."""
    if input.dim() < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)"
        )
    if size <= 0:
        raise RuntimeError(
            f"local_response_norm(): size, a number of channels, should be greater than zero, but got {size}"
        )
    if input.numel() == 0:
        return input
    squares = (input * input).movedim(1, -1)
    squares = _F.pad(squares, (size // 2, (size - 1) // 2))
    windows = squares.unfold(-1, size, 1)
    if windows.is_floating_point():
        means = windows.mean(-1).movedim(-1, 1)
    else:
        means = windows.sum(-1).div(size, rounding_mode="trunc").movedim(-1, 1)
    return input / (means * alpha + k).pow(beta)


_make_overridable(globals())
