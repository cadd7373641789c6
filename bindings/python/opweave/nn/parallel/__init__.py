"""Models that several processes or devices train together."""

from opweave.nn.parallel.data_parallel import DataParallel, data_parallel
from opweave.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
