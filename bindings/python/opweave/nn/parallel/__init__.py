"""Models that several processes or devices train together."""

from opweave.nn.parallel.data_parallel import DataParallel, data_parallel
from opweave.nn.parallel.distributed import DistributedDataParallel
from opweave.nn.parallel.parallel_apply import parallel_apply
from opweave.nn.parallel.replicate import replicate
from opweave.nn.parallel.scatter_gather import gather, scatter

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]
