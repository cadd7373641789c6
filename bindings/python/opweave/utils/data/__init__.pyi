# Types of opweave.utils.data.
from typing import TypeVar

from opweave.utils.data._utils.collate import default_collate as default_collate
from opweave.utils.data._utils.collate import default_convert as default_convert
from opweave.utils.data._utils.worker import get_worker_info as get_worker_info
from opweave.utils.data.dataloader import DataLoader as DataLoader
from opweave.utils.data.datapipes.datapipe import DataChunk as DataChunk
from opweave.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from opweave.utils.data.datapipes.datapipe import MapDataPipe as MapDataPipe
from opweave.utils.data.dataset import ChainDataset as ChainDataset
from opweave.utils.data.dataset import ConcatDataset as ConcatDataset
from opweave.utils.data.dataset import Dataset as Dataset
from opweave.utils.data.dataset import IterableDataset as IterableDataset
from opweave.utils.data.dataset import StackDataset as StackDataset
from opweave.utils.data.dataset import Subset as Subset
from opweave.utils.data.dataset import TensorDataset as TensorDataset
from opweave.utils.data.dataset import random_split as random_split
from opweave.utils.data.distributed import DistributedSampler as DistributedSampler
from opweave.utils.data.sampler import BatchSampler as BatchSampler
from opweave.utils.data.sampler import RandomSampler as RandomSampler
from opweave.utils.data.sampler import Sampler as Sampler
from opweave.utils.data.sampler import SequentialSampler as SequentialSampler
from opweave.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from opweave.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler

_T = TypeVar("_T")

class functional_datapipe:
    name: str
    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None: ...
    def __call__(self, cls: _T) -> _T: ...
