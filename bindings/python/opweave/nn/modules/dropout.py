"""Dropout layers."""

from opweave._arguments import expect_probability
from opweave.nn import functional
from opweave.nn.modules.module import Module


class _DropoutNd(Module):
    """What the kinds share: the probability, and its function in training."""

    _function = "dropout"
    _writes = True  # where it is asked to

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p == p:  # what is NaN is refused by the first call, as in PyTorch
            expect_probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return getattr(functional, self._function)(
            input, self.p, self.training, self._writes and self.inplace
        )

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeroes elements with probability p in training, and scales the others by 1 / (1 - p)."""


class Dropout1d(_DropoutNd):
    """Zeroes channels of (N, C, L)."""

    _function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Zeroes channels of (N, C, H, W)."""

    _function = "dropout2d"


class Dropout3d(_DropoutNd):
    """Zeroes channels of (N, C, D, H, W)."""

    _function = "dropout3d"


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of inputs of selu; `inplace` has no effect, as in PyTorch."""

    _function = "alpha_dropout"
    _writes = False


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    _function = "feature_alpha_dropout"
    _writes = False
