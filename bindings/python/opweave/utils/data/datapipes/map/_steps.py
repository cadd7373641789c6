"""Steps on examples that are taken by index."""

import copy
import random
import warnings

from opweave import _C
from opweave.utils.data.datapipes._decorator import functional_datapipe
from opweave.utils.data.datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe


class SequenceWrapperMapDataPipe(MapDataPipe):
    """The items of a sequence or dict; of a copy of it, unless `deepcopy` is False."""

    def __init__(self, sequence, deepcopy=True):
        if deepcopy:
            try:
                sequence = copy.deepcopy(sequence)
            except TypeError:
                warnings.warn(
                    "The input sequence cannot be deepcopied, please be aware of in-place modification "
                    "would affect source data",
                    stacklevel=2,
                )
        self.sequence = sequence

    def __getitem__(self, index):
        return self.sequence[index]

    def __len__(self):
        return len(self.sequence)


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """`fn` of each item; itself without one."""

    def __init__(self, datapipe, fn=lambda item: item):
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index):
        return self.fn(self.datapipe[index])

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("batch")
class BatcherMapDataPipe(MapDataPipe):
    """Lists of `batch_size` items; the last may be shorter, unless `drop_last`."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size = datapipe, batch_size
        self.drop_last, self.wrapper_class = drop_last, wrapper_class

    def __getitem__(self, index):
        first, count = index * self.batch_size, len(self.datapipe)
        last = min(first + self.batch_size, count)
        if first >= count or (self.drop_last and last - first < self.batch_size):
            raise IndexError(f"Index {index} is out of bound of {len(self)} batches")
        return self.wrapper_class([self.datapipe[i] for i in range(first, last)])

    def __len__(self):
        more = 0 if self.drop_last else self.batch_size - 1
        return (len(self.datapipe) + more) // self.batch_size


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe):
    """All items of the first pipe, then those of the next."""

    def __init__(self, *datapipes):
        _check("Concater", datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index):
        left = index
        for pipe in self.datapipes:
            if left < len(pipe):
                return pipe[left]
            left -= len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self):
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe):
    """Tuples of an item of each."""

    def __init__(self, *datapipes):
        _check("Zipper", datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index):
        return tuple(pipe[index] for pipe in self.datapipes)

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes)


def _check(name, datapipes):
    if len(datapipes) == 0:
        raise ValueError(f"Expected at least one DataPipe of {name}, but got nothing")
    for pipe in datapipes:
        if not isinstance(pipe, MapDataPipe):
            raise TypeError(
                f"Expected all inputs of {name} to be `MapDataPipe`, got {type(pipe).__name__}"
            )


class ShufflerIterDataPipe(IterDataPipe):
    """The items of a MapDataPipe one after another, in a random order."""

    def __init__(self, datapipe, *, indices=None):
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._enabled, self._seed, self._rng = True, None, random.Random()
        self._shuffled = self.indices

    def set_shuffle(self, shuffle=True):
        """Whether the order is a random one."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """Of the next iteration."""
        self._seed = seed
        return self

    def reset(self):
        if self._enabled and self._seed is None:
            self._seed = int(_C.empty((), dtype=_C.int64).random_().item())
        if self._enabled:
            self._rng.seed(self._seed)
            self._seed = None
            self._shuffled = self._rng.sample(self.indices, len(self.indices))

    def __iter__(self):
        for index in reversed(self._shuffled) if self._enabled else self.indices:
            yield self.datapipe[index]

    def __len__(self):
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
