# Types of opweave.distributed.optim.scheduled_optimizer.
from typing import Any

from opweave.nn.parallel import DistributedDataParallel
from opweave.optim import Optimizer

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
