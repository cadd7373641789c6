# Types of opweave.utils.data.dataloader.
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from opweave import Generator
from opweave.utils.data._utils.collate import default_collate as default_collate
from opweave.utils.data._utils.collate import default_convert as default_convert
from opweave.utils.data._utils.worker import get_worker_info as get_worker_info
from opweave.utils.data.dataset import Dataset

_T_co = TypeVar("_T_co", covariant=True)

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
