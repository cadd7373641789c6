# Types of opweave.nn.modules._pooling.fractional.
from collections.abc import Sequence

from opweave import Tensor
from opweave.nn.modules.module import Module

class _FractionalMaxPool(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        output_size: int | Sequence[int] | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None: ...

class FractionalMaxPool2d(_FractionalMaxPool): ...
class FractionalMaxPool3d(_FractionalMaxPool): ...
