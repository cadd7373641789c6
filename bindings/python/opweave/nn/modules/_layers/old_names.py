"""Modules that PyTorch keeps for old programs, which are told what to use instead."""

import warnings

from opweave import _C
from opweave.autograd import Function
from opweave.autograd.function import once_differentiable
from opweave.functional import einsum
from opweave.nn.modules.loss import NLLLoss
from opweave.nn.modules.module import Module


class NLLLoss2d(NLLLoss):
    """NLLLoss, which takes images as well."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
    ):
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and "
            "see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class Container(Module):
    """A module of the modules that it is given by name."""

    def __init__(self, **kwargs):
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
            "Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


def _neighbours(channels, size, like):
    """(C, C): which channels each channel is divided by. The first one stays among them, as in PyTorch."""
    reach = int((size - 1) / 2 + 1)
    rows = _C.arange(channels, device=like.device).unsqueeze(1)
    columns = _C.arange(channels, device=like.device)
    near = (columns < rows + reach) & ((columns > rows - reach) | (columns == 0))
    return near.to(like.dtype)


def _reached(channels, size, like):
    """(C, C): which channels the gradient of each channel comes from."""
    first = _C.arange(channels, device=like.device).unsqueeze(1) - int(size - (size - 1) / 2)
    columns = _C.arange(channels, device=like.device)
    return ((columns >= first) & (columns < first + size)).to(like.dtype)


class _Normalized(Function):
    @staticmethod
    def forward(ctx, input, size, alpha, beta, k):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        sums = einsum("cd,ndhw->nchw", _neighbours(input.size(1), size, input), input * input)
        scale = sums * (alpha / size) + k
        output = scale**-beta * input
        ctx.settings = size, alpha, beta
        ctx.save_for_backward(input, output, scale)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        input, output, scale = ctx.saved_tensors
        size, alpha, beta = ctx.settings
        ratios = grad * output / scale
        sums = einsum("cd,ndhw->nchw", _reached(input.size(1), size, input), ratios)
        return grad * scale**-beta - 2 * alpha * beta / size * input * sums, None, None, None, None


class CrossMapLRN2d(Module):
    """(N, C, H, W) divided by a power of the sum of squares of neighbouring channels.

    Raises:
        ValueError: in a call: an input of other dimensions.
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return _Normalized.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
