# Types of opweave.nn.modules.instancenorm.
from typing import Any

from opweave.nn.modules.batchnorm import _NormBase
from opweave.nn.parameter import Parameter

class _InstanceNorm(_NormBase):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class InstanceNorm1d(_InstanceNorm): ...
class InstanceNorm2d(_InstanceNorm): ...
class InstanceNorm3d(_InstanceNorm): ...
