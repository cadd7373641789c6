"""An iteration of a DataLoader: what all have in common, and the one of the program's own process."""

import collections
import warnings

from opweave import _C, accelerator
from opweave.utils.data._utils import pipes
from opweave.utils.data._utils.fetch import _DatasetKind
from opweave.utils.data._utils.pin_memory import pin_memory as _pinned


class _BaseDataLoaderIter:
    """One iteration; a subclass says where batches come from (`_next_data`)."""

    def __init__(self, loader):
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._shared_seed = None
        self._auto_collation, self._index_sampler = loader._auto_collation, loader._index_sampler
        self._drop_last, self._collate_fn = loader.drop_last, loader.collate_fn
        self._num_workers, self._timeout = loader.num_workers, loader.timeout
        self._persistent_workers = loader.persistent_workers
        self._pin_memory = loader.pin_memory and self._can_pin(loader.pin_memory_device)
        # Before the number below, as in PyTorch: a sampler may draw when it is asked for its iterator.
        self._reset(loader, first_iter=True)
        seed = _C.empty((), dtype=_C.int64).random_(generator=loader.generator)
        self._base_seed = seed.item()

    def _reset(self, loader, first_iter=False):
        """Begins a pass over the data."""
        if pipes.is_pipe(self._dataset):
            self._shared_seed = pipes.seeded(self._dataset, loader.generator)
        self._sampler_iter = iter(self._index_sampler)
        told = getattr(loader.batch_sampler, "sampler", loader.sampler)
        self._told = told if hasattr(told, "_tell_used") else None
        self._positions = collections.deque()  # of the sampler, after each batch that is on its way
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    @staticmethod
    def _can_pin(device):
        if device:
            warnings.warn(
                "pin_memory_device is deprecated: the current accelerator is used, and "
                f"pin_memory_device={device!r} ignored",
                stacklevel=5,
            )
        found = accelerator.is_available()
        if not found:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found: memory is not pinned",
                stacklevel=5,
            )
        return found

    def __iter__(self):
        return self

    def _next_index(self):
        index = next(self._sampler_iter)
        if self._told is not None:
            if self._num_yielded == 0 and not self._positions:  # it has begun just now
                count = len(index) if self._auto_collation else 1
                self._told._tell_used(self._told._taken - count)
            self._positions.append(self._told._taken)
        return index

    def _next_data(self):
        raise NotImplementedError(f"{type(self).__name__} has no _next_data")

    def __next__(self):
        data = self._next_data()
        self._num_yielded += 1
        if self._told is not None:
            self._told._tell_used(self._positions.popleft())
        told = self._IterableDataset_len_called
        if (
            self._dataset_kind == _DatasetKind.Iterable
            and told is not None
            and self._num_yielded > told
        ):
            warnings.warn(
                f"Length of IterableDataset {self._dataset} was reported to be {told} (when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched.",
                stacklevel=2,
            )
        return data

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled; pickle its DataLoader")


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """An iteration whose batches the program's own process loads."""

    def __init__(self, loader):
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError(
                "DataLoader: timeout is of worker processes; expected 0 with num_workers=0, "
                f"but got {self._timeout}"
            )
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
        )

    def _next_data(self):
        data = self._dataset_fetcher.fetch(self._next_index())
        return _pinned(data) if self._pin_memory else data
