"""Steps that give examples one after another."""

from opweave.utils.data.datapipes.iter._order import SamplerIterDataPipe as Sampler
from opweave.utils.data.datapipes.iter._order import ShardingFilterIterDataPipe as ShardingFilter
from opweave.utils.data.datapipes.iter._order import ShufflerIterDataPipe as Shuffler
from opweave.utils.data.datapipes.iter._several import ConcaterIterDataPipe as Concater
from opweave.utils.data.datapipes.iter._several import MultiplexerIterDataPipe as Multiplexer
from opweave.utils.data.datapipes.iter._several import ZipperIterDataPipe as Zipper
from opweave.utils.data.datapipes.iter._steps import BatcherIterDataPipe as Batcher
from opweave.utils.data.datapipes.iter._steps import CollatorIterDataPipe as Collator
from opweave.utils.data.datapipes.iter._steps import FilterIterDataPipe as Filter
from opweave.utils.data.datapipes.iter._steps import IterableWrapperIterDataPipe as IterableWrapper
from opweave.utils.data.datapipes.iter._steps import MapperIterDataPipe as Mapper
from opweave.utils.data.datapipes.iter._steps import UnBatcherIterDataPipe as UnBatcher

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Filter",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "UnBatcher",
    "Zipper",
]
