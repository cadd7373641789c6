"""Fractional max pooling (Graham, 2014): windows of one size whose starts are drawn."""

import math
import operator

from opweave import _C
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._autocast_functions import computed_in as _computed_in
from opweave._places import to_places as _to_places
from opweave._places import to_size as _to_size
from opweave.nn.modules.utils import _ntuple

_DIMENSIONS = {2: ("height", "width"), 3: ("time", "height", "width")}


def _starts(samples, length, out, size):
    """(planes, out): where the windows of each plane begin; the last one ends where the plane ends."""
    last = samples.new_full((*samples.shape, 1), length - size, dtype=_C.int64)
    if out == 1:
        return last
    step = samples.new_full((), length - size) / (out - 1)
    offsets = _C.arange(out - 1, device=samples.device, dtype=samples.dtype)
    samples = samples.unsqueeze(-1)
    places = length - size + 1
    begun = _to_places((offsets + samples) * step, places) - _to_places(samples * step, places)
    begun = begun.clamp(min=0)  # of samples that are none: NaN, or not between 0 and 1
    return _C.cat([begun, last], -1)


def _places(starts, sizes, lengths):
    """(planes, outputs, elements of a window): which elements of a plane each window has."""
    found = starts[0].new_zeros((starts[0].size(0),) + (1,) * 2 * len(sizes))
    for d, (begin, size, length) in enumerate(zip(starts, sizes, lengths, strict=True)):
        index = begin.unsqueeze(-1) + _C.arange(size, device=begin.device)
        shape = [begin.size(0)] + [1] * 2 * len(sizes)
        shape[1 + d], shape[1 + len(sizes) + d] = begin.size(1), size
        found = found * length + index.reshape(shape)
    return found.flatten(1 + len(sizes)).flatten(1, len(sizes))


def _pooled(name, input, sizes, outs, samples):
    """(maxima, where they are), of (N, C, ...) or (C, ...)."""
    n = len(sizes)
    if input.dim() not in (n + 1, n + 2) or 0 in input.shape[-n - 1 :]:
        raise RuntimeError(
            f"{name}(): Expected {n + 1}D or {n + 2}D tensor with non-zero dimensions, but got input of "
            f"size {list(input.shape)}"
        )
    if min(sizes) < 1:
        raise RuntimeError(
            f"{name}(): kernel size should be greater than zero, but got {'x'.join(map(str, sizes))}"
        )
    lengths = input.shape[-n:]
    for kind, size, out, length in zip(_DIMENSIONS[n], sizes, outs, lengths, strict=True):
        # Where windows could lie in one way alone, PyTorch refuses those of volumes.
        if out < 0:
            raise RuntimeError(f"{name}(): output {kind} {out} should not be negative")
        if out + size - (1 if n == 2 else 0) > length:
            raise RuntimeError(
                f"{name}(): pool {kind} {size} too large relative to input {kind} {length}"
            )
    _check_samples(input, samples, n)
    if min(outs) == 0:
        found = input.new_empty(*input.shape[:-n], *outs)
        return found, _C.empty_like(found, dtype=_C.int64)
    samples = samples.expand(*_batch(input, n), n).reshape(-1, n)
    # Samples of images are for the width first, those of volumes in the order of their dimensions.
    columns = samples.unbind(1)[::-1] if n == 2 else samples.unbind(1)
    starts = [_starts(*s) for s in zip(columns, lengths, outs, sizes, strict=True)]
    places = _places(starts, sizes, lengths)
    planes = input.flatten(-n).reshape(places.size(0), math.prod(lengths))
    windows = planes.gather(1, places.flatten(1)).reshape(places.shape)
    values, which = windows.max(-1)
    shape = (*input.shape[:-n], *outs)
    indices = places.gather(-1, which.unsqueeze(-1))
    return values.reshape(shape), indices.reshape(shape)


def _batch(input, n):
    """(N, C) of an input with or without a batch."""
    return (1, *input.shape[:-n])[-2:]


def _check_samples(input, samples, n):
    recorded = _C.is_grad_enabled() and samples.requires_grad
    if recorded or _C._tangent_level(samples):
        raise RuntimeError(
            f"The function 'fractional_max_pool{n}d' is not differentiable with respect to argument "
            f"'_random_samples'. This input cannot have {'requires_grad True' if recorded else 'a tangent'}."
        )
    if samples.dtype != input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.dim() != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.dim()}")
    batch, channels = _batch(input, n)
    if samples.size(0) < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.size(1) != channels:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.size(2) != n:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {n}; got {samples.size(2)}.")


def _each(name, argument, value, n):
    """A number for each of n dimensions.

    Raises:
        RuntimeError: more numbers, or fewer.
    """
    numbers = _ntuple(n)(value)
    if len(numbers) != n:
        raise RuntimeError(
            f"{name}: {argument} must either be a single number or a tuple of {n}, but got {value}"
        )
    return numbers


def _whole(name, argument, value, n):
    try:
        return [operator.index(number) for number in _each(name, argument, value, n)]
    except TypeError:
        raise TypeError(
            f"{name}(): argument '{argument}' must be tuple of ints, but got {value}"
        ) from None


@_computed_in("fp32", None)
def _fractional(n, input, kernel_size, output_size, output_ratio, samples):
    name = f"fractional_max_pool{n}d"
    _expect_tensor(name, "input", input)
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): expected {n + 1}D or {n + 2}D input, but got {input.dim()}D")
    if output_size is None:
        ratios = _each(name, "output_ratio", output_ratio, n)
        scaled = zip(input.shape[-n:], ratios, strict=True)
        output_size = [_to_size(name, s * r) for s, r in scaled]
    if samples is None:
        batch = 1 if input.dim() == n + 1 else input.size(0)
        sizes = batch, input.size(-n - 1), n
        samples = _C.rand(sizes, dtype=input.dtype, device=input.device)
    batch = 1 if input.dim() == n + 1 else input.size(0)
    kept = samples[:batch] if samples.dim() == 3 and samples.size(0) >= batch else samples
    sizes = _whole(name, "kernel_size", kernel_size, n)
    outs = _whole(name, "output_size", output_size, n)
    return _pooled(name, input, sizes, outs, kept)


def _with_indices(n):
    def pool(
        input,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices=False,
        _random_samples=None,
    ):
        return _fractional(n, input, kernel_size, output_size, output_ratio, _random_samples)

    pool.__name__ = pool.__qualname__ = f"fractional_max_pool{n}d_with_indices"
    pool.__doc__ = f"fractional_max_pool{n}d() and where in the input each maximum is."
    return pool


_DOC = """The maximum of windows of (N, C, {dims}) or (C, {dims}) that begin at random distances.

    Args:
        kernel_size: an int, or one for each of {dims}.
        output_size: how many windows there are: an int, or one for each of {dims}.
        output_ratio: in its place: what share of the input's size that is.
        return_indices: whether to give where in the {what} each maximum is as well, as int64.

    Raises:
        ValueError: neither a size nor a ratio.
        RuntimeError: an input of other dimensions, or windows that do not fit.
    """


def _values(n, dims, what):
    def pool(
        input,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices=False,
        _random_samples=None,
    ):
        found = _fractional(n, input, kernel_size, output_size, output_ratio, _random_samples)
        return found if return_indices else found[0]

    pool.__name__ = pool.__qualname__ = f"fractional_max_pool{n}d"
    pool.__doc__ = _DOC.format(dims=dims, what=what)
    return pool


fractional_max_pool2d_with_indices = _with_indices(2)
fractional_max_pool3d_with_indices = _with_indices(3)
fractional_max_pool2d = _values(2, "H, W", "image")
fractional_max_pool3d = _values(3, "D, H, W", "volume")
