# Types of opweave.nn.modules.pooling.
from collections.abc import Sequence
from typing import Any

from opweave.nn.modules.module import Module

class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None: ...

class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd): ...
class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd): ...

class _AdaptiveMaxPoolNd(Module):
    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None: ...

class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd): ...
class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd): ...
class _AvgPoolNd(Module): ...

class AvgPool1d(_AvgPoolNd):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None: ...

class _AvgPoolOfVolumes(_AvgPoolNd):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None: ...

class AvgPool2d(_AvgPoolOfVolumes): ...

class _MaxPoolNd(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...

class MaxPool1d(_MaxPoolNd): ...
class MaxPool2d(_MaxPoolNd): ...
