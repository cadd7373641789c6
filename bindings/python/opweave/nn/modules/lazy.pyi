# Types of opweave.nn.modules.lazy.
from collections.abc import Sequence
from typing import Any

from opweave.nn.modules.batchnorm import _BatchNorm
from opweave.nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from opweave.nn.modules.instancenorm import _InstanceNorm
from opweave.nn.modules.linear import Linear

class LazyModuleMixin:
    cls_to_become: type[Any] | None
    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None: ...
    def has_uninitialized_params(self) -> bool: ...
    def reset_parameters(self) -> None: ...

class _LazyNormBase(LazyModuleMixin): ...

class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class _LazyConvXdMixin(LazyModuleMixin): ...
class _LazyConvForward(_LazyConvXdMixin): ...

class LazyConv1d(_LazyConvForward, Conv1d):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConv2d(_LazyConvForward, Conv2d):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConv3d(_LazyConvForward, Conv3d):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class _LazyConvTranspose(_LazyConvXdMixin): ...

class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class _LazyInstanceNorm(_LazyNormBase): ...

class LazyInstanceNorm1d(_LazyInstanceNorm, _InstanceNorm):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyInstanceNorm2d(_LazyInstanceNorm, _InstanceNorm):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyInstanceNorm3d(_LazyInstanceNorm, _InstanceNorm):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyLinear(LazyModuleMixin, Linear):
    out_features: int
    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None: ...
