"""DataLoader: batches of a data set, one after another."""

import math
import multiprocessing
import os
import warnings
from typing import Generic, TypeVar

from opweave.utils.data import _loader_arguments as arguments
from opweave.utils.data._iterations import _BaseDataLoaderIter, _SingleProcessDataLoaderIter  # noqa: F401
from opweave.utils.data._utils import pipes
from opweave.utils.data._utils.collate import default_collate, default_convert
from opweave.utils.data._utils.fetch import _DatasetKind
from opweave.utils.data._utils.worker import get_worker_info
from opweave.utils.data.dataset import IterableDataset
from opweave.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_T_co = TypeVar("_T_co", covariant=True)


class _InfiniteConstantSampler(Sampler[None]):
    """What an IterableDataset is asked with: it says itself when it ends."""

    def __iter__(self):
        while True:
            yield None


class DataLoader(Generic[_T_co]):
    """Batches of `dataset`, again in each iteration.

    Args:
        dataset: examples by index (with a length, unless a sampler is given), or an IterableDataset.
        batch_size: how many examples a batch has; None for single examples.
        shuffle: whether each iteration has a random order of its own.
        sampler: any iterable of indices, in place of `shuffle`.
        batch_sampler: any iterable of lists of indices, in place of `batch_size`, `shuffle`, `sampler` and
            `drop_last`.
        num_workers: how many processes load; 0 for the program's own.
        collate_fn: makes a batch of a list of examples (`default_collate` for None), or what is handed out of
            an example where there are no batches (`default_convert`).
        pin_memory: whether tensors come in memory that an accelerator reads while the program goes on.
        drop_last: whether the last batch is left out where it would be smaller.
        timeout: how many seconds to wait for a batch of worker processes; 0 for no limit.
        worker_init_fn: called with its number in each worker process, before it loads.
        multiprocessing_context: how processes are started: a name, or a context of multiprocessing.
        prefetch_factor: how many batches each worker process loads ahead (2 for None).
        persistent_workers: whether processes stay for the next iteration.
        in_order: whether batches come in the order of the sampler, or as worker processes have them.
        generator: draws the order of `shuffle`, and a number for the seeds of workers in each iteration.
        pin_memory_device: deprecated; memory is pinned for the current accelerator.

    The generator is called as often and in the same order as PyTorch calls it: one whose engine is "mt19937"
    gives PyTorch's order and seeds.
    """

    __initialized = False

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        arguments.check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        self.dataset, self.num_workers, self.prefetch_factor = dataset, num_workers, prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.timeout, self.worker_init_fn = timeout, worker_init_fn
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if iterable else _DatasetKind.Map
        if pipes.is_pipe(dataset):
            self.dataset, shuffle = pipes.shuffled(dataset, shuffle), None
        if iterable:
            arguments.check_iterable(shuffle, sampler, batch_sampler)
        arguments.check_sampling(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            sampler = self._default_sampler(shuffle, generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn, self.persistent_workers = collate_fn, persistent_workers
        self._IterableDataset_len_called = self._iterator = None
        self.__initialized = True
        self.check_worker_number_rationality()

    def _default_sampler(self, shuffle, generator):
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=generator)
        return SequentialSampler(self.dataset)

    def __setattr__(self, name, value):
        fixed = (
            "batch_size",
            "batch_sampler",
            "sampler",
            "drop_last",
            "dataset",
            "persistent_workers",
        )
        if self.__initialized and name in fixed:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized; make "
                f"another one with {name}={value!r}"
            )
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self):
        """How worker processes are started; None for the system's default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        if context is not None:
            arguments.check_context(context, self.num_workers)
            if isinstance(context, str):
                context = multiprocessing.get_context(context)
        self.__multiprocessing_context = context

    def check_worker_number_rationality(self):
        """Warns of more workers than the processors that this process may use."""
        processors = len(os.sched_getaffinity(0))
        if self.num_workers > processors:
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes, and there "
                f"are {processors} "
                "processors for this process: it may be slower than with fewer, or stand still",
                stacklevel=3,
            )

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        return __getattr__("_MultiProcessingDataLoaderIter")(self)

    def __iter__(self):
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def __len__(self):
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


def __getattr__(name):
    # The iteration with workers is loaded when it is first needed, and PyTorch has it here.
    if name == "_MultiProcessingDataLoaderIter":
        from opweave.utils.data._multiprocess import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
