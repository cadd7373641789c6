# Types of opweave.nn.modules._pooling.volumes.
from collections.abc import Sequence
from typing import Any

from opweave.nn.modules.module import Module
from opweave.nn.modules.pooling import (
    _AdaptiveAvgPoolNd,
    _AdaptiveMaxPoolNd,
    _AvgPoolOfVolumes,
    _MaxPoolNd,
)

class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None: ...

class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None: ...

class AvgPool3d(_AvgPoolOfVolumes):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None: ...

class _LPPoolNd(Module):
    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        ceil_mode: bool = False,
    ) -> None: ...

class LPPool1d(_LPPoolNd): ...
class LPPool2d(_LPPoolNd): ...
class LPPool3d(_LPPoolNd): ...

class MaxPool3d(_MaxPoolNd):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...

class _MaxUnpoolNd(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
    ) -> None: ...

class MaxUnpool1d(_MaxUnpoolNd): ...
class MaxUnpool2d(_MaxUnpoolNd): ...
class MaxUnpool3d(_MaxUnpoolNd): ...
