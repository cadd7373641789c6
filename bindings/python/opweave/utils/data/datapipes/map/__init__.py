"""Steps that give examples by index."""

from opweave.utils.data.datapipes.map._steps import BatcherMapDataPipe as Batcher
from opweave.utils.data.datapipes.map._steps import ConcaterMapDataPipe as Concater
from opweave.utils.data.datapipes.map._steps import MapperMapDataPipe as Mapper
from opweave.utils.data.datapipes.map._steps import SequenceWrapperMapDataPipe as SequenceWrapper
from opweave.utils.data.datapipes.map._steps import ShufflerIterDataPipe as Shuffler
from opweave.utils.data.datapipes.map._steps import ZipperMapDataPipe as Zipper

__all__ = [
    "Batcher",
    "Concater",
    "Mapper",
    "SequenceWrapper",
    "Shuffler",
    "Zipper",
]
