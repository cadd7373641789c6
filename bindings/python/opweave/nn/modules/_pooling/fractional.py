"""Fractional max pooling layers."""

from opweave.nn import functional
from opweave.nn.modules.module import Module
from opweave.nn.modules.utils import _ntuple


class _FractionalMaxPool(Module):
    _dimensions = 0
    _pool = None

    def __init__(
        self,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices=False,
        _random_samples=None,
    ):
        super().__init__()
        self.kernel_size = self._each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else self._each(output_size)
        self.output_ratio = None if output_ratio is None else self._each(output_ratio)
        self._check(output_ratio)

    def _each(self, value):
        return _ntuple(self._dimensions)(value)

    def _check(self, given_ratio):
        if self.output_size is None and self.output_ratio is None:
            raise ValueError(
                f"{self._get_name()} requires specifying either an output size, or a pooling ratio"
            )
        if self.output_size is not None and self.output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {given_ratio})")

    def forward(self, input):
        return type(self)._pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maximum of windows of (N, C, H, W) that begin at random distances.

    Args:
        kernel_size, output_size: an int, or one for each of H, W.
        output_ratio: in place of output_size: what share of the input's size that is, between 0 and 1.
        return_indices: whether to give where in the image each maximum is as well.

    Raises:
        ValueError: not one of output_size and output_ratio, or a ratio out of range.
    """

    _dimensions = 2
    _pool = staticmethod(functional.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maximum of windows of (N, C, D, H, W) that begin at random distances; see FractionalMaxPool2d."""

    _dimensions = 3
    _pool = staticmethod(functional.fractional_max_pool3d)
