"""Optimisers whose state is spread over the ranks of a group."""

from opweave.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
