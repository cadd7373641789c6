"""Which examples of a data set a program takes, and in which order."""

from opweave.utils.data.distributed import DistributedSampler
from opweave.utils.data.sampler import Sampler

__all__ = ["DistributedSampler", "Sampler"]
