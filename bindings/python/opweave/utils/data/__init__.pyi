# Types of opweave.utils.data.
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from opweave import Generator, Tensor
from opweave.utils.data._utils.worker import WorkerInfo

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)

class Dataset(Generic[_T_co]):
    def __getitem__(self, index: Any) -> _T_co: ...
    def __add__(self, other: Dataset[Any]) -> Dataset[Any]: ...

class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    def __iter__(self) -> Iterator[_T_co]: ...

class TensorDataset(Dataset[tuple[Tensor, ...]]):
    tensors: tuple[Tensor, ...]
    def __init__(self, *tensors: Tensor) -> None: ...
    def __len__(self) -> int: ...

class StackDataset(Dataset[Any]):
    datasets: tuple[Any, ...] | dict[str, Any]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitems__(self, indices: Sequence[Any]) -> list[Any]: ...
    def __len__(self) -> int: ...

class ConcatDataset(Dataset[_T_co]):
    datasets: list[Dataset[_T_co]]
    cumulative_sizes: list[int]
    @staticmethod
    def cumsum(sequence: Iterable[Sized]) -> list[int]: ...
    def __init__(self, datasets: Iterable[Dataset[_T_co]]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def cummulative_sizes(self) -> list[int]: ...

class ChainDataset(IterableDataset[Any]):
    datasets: Iterable[Dataset[Any]]
    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None: ...
    def __len__(self) -> int: ...

class Subset(Dataset[_T_co]):
    dataset: Dataset[_T_co]
    indices: Sequence[int]
    def __init__(self, dataset: Dataset[_T_co], indices: Sequence[int]) -> None: ...
    def __getitems__(self, indices: list[int]) -> list[_T_co]: ...
    def __len__(self) -> int: ...

def random_split(
    dataset: Dataset[_T], lengths: Sequence[int | float], generator: Generator | None = ...
) -> list[Subset[_T]]: ...

class Sampler(Generic[_T_co]):
    def __iter__(self) -> Iterator[_T_co]: ...

class SequentialSampler(Sampler[int]):
    data_source: Sized
    def __init__(self, data_source: Sized) -> None: ...
    def __len__(self) -> int: ...

class RandomSampler(Sampler[int]):
    data_source: Sized
    replacement: bool
    generator: Generator | None
    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None: ...
    @property
    def num_samples(self) -> int: ...
    def __len__(self) -> int: ...

class SubsetRandomSampler(Sampler[int]):
    indices: Sequence[int]
    generator: Generator | None
    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None: ...
    def __len__(self) -> int: ...

class WeightedRandomSampler(Sampler[int]):
    weights: Tensor
    num_samples: int
    replacement: bool
    generator: Generator | None
    def __init__(
        self,
        weights: Sequence[float] | Tensor,
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...

class BatchSampler(Sampler[list[int]]):
    sampler: Iterable[int]
    batch_size: int
    drop_last: bool
    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None: ...
    def __len__(self) -> int: ...

class DistributedSampler(Sampler[int]):
    epoch: int
    num_replicas: int
    rank: int
    shuffle: bool
    seed: int
    drop_last: bool
    num_samples: int
    total_size: int
    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    def set_epoch(self, epoch: int) -> None: ...
    def state_dict(self) -> dict[str, int]: ...
    def load_state_dict(self, state_dict: dict[str, int]) -> None: ...

class DataLoader(Generic[_T_co]):
    dataset: Dataset[_T_co]
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Iterable[Any]
    batch_sampler: Iterable[Any] | None
    generator: Generator | None
    collate_fn: Callable[[Any], Any]
    prefetch_factor: int | None
    persistent_workers: bool
    multiprocessing_context: BaseContext | str | None
    def __init__(
        self,
        dataset: Dataset[_T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Sequence[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: BaseContext | str | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def check_worker_number_rationality(self) -> None: ...

def default_collate(batch: Sequence[Any]) -> Any: ...
def default_convert(data: Any) -> Any: ...
def get_worker_info() -> WorkerInfo | None: ...

class DataChunk(list[_T]):
    items: list[_T]
    def __init__(self, items: Iterable[_T]) -> None: ...
    def as_str(self, indent: str = "") -> str: ...
    def raw_iterator(self) -> Iterator[_T]: ...

class IterDataPipe(IterableDataset[_T_co]):
    functions: dict[str, Callable[..., Any]]
    def __getattr__(self, name: str) -> Any: ...
    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None: ...
    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: type[Any], **options: Any
    ) -> None: ...
    def reset(self) -> None: ...

class MapDataPipe(Dataset[_T_co]):
    functions: dict[str, Callable[..., Any]]
    def __getattr__(self, name: str) -> Any: ...
    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None: ...
    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: type[Any], **options: Any
    ) -> None: ...

class functional_datapipe:
    name: str
    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None: ...
    def __call__(self, cls: _T) -> _T: ...
