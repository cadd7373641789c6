# Types of opweave.nn.modules._layers.sync_batchnorm.
from typing import Any

from opweave.nn.modules.batchnorm import _BatchNorm
from opweave.nn.modules.module import Module

class SyncBatchNorm(_BatchNorm):
    num_features: int
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...
    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module: ...
