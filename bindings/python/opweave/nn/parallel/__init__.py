"""Models that several processes train together."""

from opweave.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
