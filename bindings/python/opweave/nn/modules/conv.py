"""Convolutions."""

import math

from opweave import _C
from opweave.nn import functional, init
from opweave.nn.modules.module import Module
from opweave.nn.modules.utils import _ntuple
from opweave.nn.parameter import Parameter


def _repeated(value, n):
    return _ntuple(n)(value)


def _check_channels(in_channels, out_channels, groups):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")


def _check_padding(padding, padding_mode, stride):
    modes = ("zeros", "reflect", "replicate", "circular")
    if padding_mode not in modes:
        raise ValueError(f"padding_mode must be one of {modes}, but got '{padding_mode}'")
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding string {padding!r}, should be one of ('same', 'valid')")
    if padding == "same" and any(s != 1 for s in stride):
        raise ValueError("padding='same' is not supported for strided convolutions")


class _ConvNd(Module):
    """What all convolutions have; programs derive layers of their own from it.

    `kernel_size`, `stride`, `dilation` and `output_padding` are tuples of a number for each dimension,
    `padding` as well unless it is "same" or "valid".
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        super().__init__()
        _check_channels(in_channels, out_channels, groups)
        _check_padding(padding, padding_mode, stride)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        sides = reversed(self._padding_sides())
        self._reversed_padding_repeated_twice = [n for side in sides for n in side]
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        shape = (first, second // groups, *kernel_size)
        self.weight = Parameter(_C.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(_C.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def __setstate__(self, state):
        super().__setstate__({"padding_mode": "zeros", **state})  # older than other modes

    @property
    def _dims(self):
        return len(self.kernel_size)

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _padding_sides(self):
        if self.padding == "valid":
            return [(0, 0)] * self._dims
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
            return [(t // 2, t - t // 2) for t in totals]
        return [(p, p) for p in self.padding]

    def extra_repr(self):
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        zero, one = (0,) * self._dims, (1,) * self._dims
        if self.padding != zero:
            text += f", padding={self.padding}"
        if self.dilation != one:
            text += f", dilation={self.dilation}"
        if self.output_padding != zero:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Convolution(_ConvNd):
    """Conv1d to Conv3d: their arguments, with a number in the place of equal ones for each dimension."""

    _of_dims = 2

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        n = self._of_dims
        super().__init__(
            in_channels,
            out_channels,
            _repeated(kernel_size, n),
            _repeated(stride, n),
            padding if isinstance(padding, str) else _repeated(padding, n),
            _repeated(dilation, n),
            False,
            _repeated(0, n),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input, weight, bias):
        """The convolution with another weight and bias, which subclasses compute from their own."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            padding = 0
        function = getattr(functional, f"conv{self._of_dims}d")
        return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Convolution):
    """Shapes: input (N, C_in, L) or (C_in, L)."""

    _of_dims = 1


class Conv2d(_Convolution):
    """Shapes: input (N, C_in, H, W) or (C_in, H, W)."""


class Conv3d(_Convolution):
    """Shapes: input (N, C_in, D, H, W) or (C_in, D, H, W)."""

    _of_dims = 3


def _only_zeros(layer, padding_mode):
    if padding_mode != "zeros":
        raise ValueError('Only "zeros" padding mode is supported for ' + type(layer).__name__)


class _ConvTransposeNd(_ConvNd):
    """The gradient of a convolution with respect to its input, as a layer."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        _only_zeros(self, padding_mode)
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(
        self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None
    ):
        """The padding behind that makes the output as large as is wanted. Layers that programs derive call
        it."""
        if output_size is None:
            return _repeated(self.output_padding, num_spatial_dims)
        wanted = list(output_size)
        if len(wanted) == input.dim():
            wanted = wanted[-num_spatial_dims:]
        if len(wanted) != num_spatial_dims:
            raise ValueError(
                f"{type(self).__name__}: for {input.dim()}D input, output_size must have {num_spatial_dims} "
                f"or {input.dim()} elements (got {len(wanted)})"
            )
        result = []
        for d in range(num_spatial_dims):
            smallest = (
                (input.size(d - num_spatial_dims) - 1) * stride[d]
                - 2 * padding[d]
                + (1 if dilation is None else dilation[d]) * (kernel_size[d] - 1)
                + 1
            )
            extra = wanted[d] - smallest
            if not 0 <= extra < stride[d]:
                raise ValueError(
                    f"requested an output size of {wanted}, but valid sizes for dimension {d} range from "
                    f"{smallest} to {smallest + stride[d] - 1}"
                )
            result.append(extra)
        return result


class _Transposed(_ConvTransposeNd):
    """ConvTranspose1d to 3d: their arguments, with a number in the place of equal ones for each dimension."""

    _of_dims = 2

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        n = self._of_dims
        super().__init__(
            in_channels,
            out_channels,
            _repeated(kernel_size, n),
            _repeated(stride, n),
            padding if isinstance(padding, str) else _repeated(padding, n),
            _repeated(dilation, n),
            True,
            _repeated(output_padding, n),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input, output_size=None):
        _only_zeros(self, self.padding_mode)
        output_padding = self._output_padding(
            input,
            output_size,
            self.stride,
            self.padding,
            self.kernel_size,
            self._of_dims,
            self.dilation,
        )
        return getattr(functional, f"conv_transpose{self._of_dims}d")(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_Transposed):
    """Shapes: input (N, C_in, L) or (C_in, L)."""

    _of_dims = 1


class ConvTranspose2d(_Transposed):
    """Shapes: input (N, C_in, H, W) or (C_in, H, W)."""


class ConvTranspose3d(_Transposed):
    """Shapes: input (N, C_in, D, H, W) or (C_in, D, H, W)."""

    _of_dims = 3
