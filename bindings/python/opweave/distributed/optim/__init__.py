"""Optimisers of several processes: with their state spread over ranks, or steps behind the next pass."""

from opweave.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer
from opweave.distributed.optim.scheduled_optimizer import ScheduledOptimizer
from opweave.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["PostLocalSGDOptimizer", "ScheduledOptimizer", "ZeroRedundancyOptimizer"]
