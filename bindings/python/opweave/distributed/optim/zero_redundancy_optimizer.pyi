# Types of opweave.distributed.optim.zero_redundancy_optimizer.
from collections.abc import Callable, Iterable
from typing import Any

from opweave.distributed import ProcessGroup
from opweave.nn.parallel import DistributedDataParallel
from opweave.optim import Optimizer

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
