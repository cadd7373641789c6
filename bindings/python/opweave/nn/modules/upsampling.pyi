# Types of opweave.nn.modules.upsampling.
from typing import Any

from opweave.nn.modules.module import Module

class Upsample(Module):
    size: int
    def __init__(
        self,
        size: int | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: Any = None,
        recompute_scale_factor: Any = None,
    ) -> None: ...

class UpsamplingBilinear2d(Upsample):
    size: int
    def __init__(self, size: int | None = None, scale_factor: Any = None) -> None: ...

class UpsamplingNearest2d(Upsample):
    size: int
    def __init__(self, size: int | None = None, scale_factor: Any = None) -> None: ...
