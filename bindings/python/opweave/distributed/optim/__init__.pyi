# Types of opweave.distributed.optim.
from opweave.distributed.optim.post_localSGD_optimizer import (
    PostLocalSGDOptimizer as PostLocalSGDOptimizer,
)
from opweave.distributed.optim.scheduled_optimizer import ScheduledOptimizer as ScheduledOptimizer
from opweave.distributed.optim.zero_redundancy_optimizer import (
    ZeroRedundancyOptimizer as ZeroRedundancyOptimizer,
)

__all__ = ["PostLocalSGDOptimizer", "ScheduledOptimizer", "ZeroRedundancyOptimizer"]
