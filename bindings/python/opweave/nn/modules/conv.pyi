# Types of opweave.nn.modules.conv.
from collections.abc import Sequence
from typing import Any

from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

class _ConvNd(Module):
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: str | tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Parameter
    bias: Any
    def reset_parameters(self) -> None: ...

class _Convolution(_ConvNd):
    def __init__(
        self,
        in_channels: int,
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

class Conv1d(_Convolution): ...
class Conv2d(_Convolution): ...
class Conv3d(_Convolution): ...
class _ConvTransposeNd(_ConvNd): ...

class _Transposed(_ConvTransposeNd):
    def __init__(
        self,
        in_channels: int,
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

class ConvTranspose1d(_Transposed): ...
class ConvTranspose2d(_Transposed): ...
class ConvTranspose3d(_Transposed): ...
