"""Pooling of volumes, norms of windows, and what undoes maxima."""

from opweave.nn import functional
from opweave.nn.modules.module import Module
from opweave.nn.modules.pooling import (
    _AdaptiveAvgPoolNd,
    _AdaptiveMaxPoolNd,
    _AvgPoolOfVolumes,
    _MaxPoolNd,
)
from opweave.nn.modules.utils import _ntuple


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of (N, C, D, H, W)."""

    def forward(self, input):
        return self._pool(functional.max_pool3d, input)


class AvgPool3d(_AvgPoolOfVolumes):
    """The mean of each window of (N, C, D, H, W)."""

    _function = "avg_pool3d"

    def __setstate__(self, state):
        # Files may be older than its options.
        super().__setstate__({"padding": 0, "ceil_mode": False, "count_include_pad": True, **state})


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means over windows of (N, C, D, H, W)."""

    def forward(self, input):
        return functional.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Of (N, C, D, H, W)."""

    _function = "adaptive_max_pool3d"


class _MaxUnpoolNd(Module):
    _function, _dims = None, 1

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = self._expanded(kernel_size)
        self.stride = self._expanded(kernel_size if stride is None else stride)
        self.padding = self._expanded(padding)

    def _expanded(self, value):
        return _ntuple(self._dims)(value)

    def forward(self, input, indices, output_size=None):
        function = getattr(functional, self._function)
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Zeros, with the maxima of MaxPool1d where they were found."""

    _function = "max_unpool1d"


class MaxUnpool2d(_MaxUnpoolNd):
    """Zeros, with the maxima of MaxPool2d where they were found."""

    _function, _dims = "max_unpool2d", 2


class MaxUnpool3d(_MaxUnpoolNd):
    """Zeros, with the maxima of MaxPool3d where they were found."""

    _function, _dims = "max_unpool3d", 3


class _LPPoolNd(Module):
    _function = None

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        if norm_type == 0:
            raise ValueError(f"norm_type must be a non-zero value, but got {norm_type}")
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def forward(self, input):
        function = getattr(functional, self._function)
        return function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The root of the sum of powers of each window of (N, C, L)."""

    _function = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """The root of the sum of powers of each window of (N, C, H, W)."""

    _function = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """The root of the sum of powers of each window of (N, C, D, H, W)."""

    _function = "lp_pool3d"
