"""Fractional max pooling: sizes or ratios of results, and random samples that say where windows begin."""

import operator

from opweave import _C
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._arguments import to_size as _to_size
from opweave.nn.modules.utils import _ntuple


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
    sizes = _whole(name, "kernel_size", kernel_size, n)
    outs = _whole(name, "output_size", output_size, n)
    return getattr(_C._nn, name)(input, sizes, outs, samples)


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
