# Types of opweave.distributed.optim.
from collections.abc import Callable, Iterable
from typing import Any

from opweave.distributed import ProcessGroup
from opweave.distributed.algorithms.model_averaging.averagers import ModelAverager
from opweave.nn.parallel import DistributedDataParallel
from opweave.optim import Optimizer

__all__ = ["PostLocalSGDOptimizer", "ScheduledOptimizer", "ZeroRedundancyOptimizer"]

class ZeroRedundancyOptimizer(Optimizer):
    optim: Optimizer
    process_group: ProcessGroup
    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: Callable[..., Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None: ...
    def shard_gradients(self, model: DistributedDataParallel) -> None: ...
    def consolidate_state_dict(self, to: int = 0) -> None: ...
    def join_hook(self, **kwargs: Any) -> Any: ...

class ScheduledOptimizer(Optimizer):
    def __init__(
        self,
        optimizer: Optimizer,
        model: DistributedDataParallel,
        scheduler: Any = None,
        by_next_use: bool = True,
    ) -> None: ...
    def synchronize(self) -> None: ...
    def close(self) -> None: ...

class PostLocalSGDOptimizer(Optimizer):
    optim: Optimizer
    averager: ModelAverager
    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None: ...
