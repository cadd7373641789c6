# Types of opweave.nn.modules.batchnorm.
from typing import Any

from opweave import Tensor
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

class _NormBase(Module):
    num_features: int
    weight: Parameter
    bias: Any
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...
    def reset_running_stats(self) -> None: ...
    def reset_parameters(self) -> None: ...

class _BatchNorm(_NormBase): ...
class BatchNorm1d(_BatchNorm): ...
class BatchNorm2d(_BatchNorm): ...
class BatchNorm3d(_BatchNorm): ...
