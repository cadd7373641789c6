"""Steps that change the order, or leave out what is of others."""

import random
from enum import IntEnum

from opweave import _C
from opweave.utils.data.datapipes._decorator import functional_datapipe
from opweave.utils.data.datapipes.datapipe import IterDataPipe
from opweave.utils.data.sampler import SequentialSampler


class SamplerIterDataPipe(IterDataPipe):
    """What a sampler of the pipe gives."""

    def __init__(self, datapipe, sampler=SequentialSampler, sampler_args=None, sampler_kwargs=None):
        self.datapipe = datapipe
        self.sampler = sampler(
            *(sampler_args or ()), **{"data_source": datapipe, **(sampler_kwargs or {})}
        )

    def __iter__(self):
        return iter(self.sampler)

    def __len__(self):
        return len(self.sampler)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(IterDataPipe):
    """Items in a random order: each time one of the `buffer_size` next ones."""

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        if buffer_size <= 0:
            raise ValueError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level)
        self.buffer_size, self._buffer = buffer_size, []
        self._enabled, self._seed, self._rng = True, None, random.Random()

    def set_shuffle(self, shuffle=True):
        """Whether the order is a random one."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """Of the next iteration."""
        self._seed = seed
        return self

    def reset(self):
        self._buffer = []
        if self._enabled:
            if self._seed is None:
                self._seed = int(_C.empty((), dtype=_C.int64).random_().item())
            self._rng.seed(self._seed)
            self._seed = None

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        for item in self.datapipe:
            if len(self._buffer) < self.buffer_size:
                self._buffer.append(item)
                continue
            place = self._rng.randint(0, len(self._buffer) - 1)
            self._buffer[place], item = item, self._buffer[place]
            yield item
        while self._buffer:
            yield self._buffer.pop(self._rng.randint(0, len(self._buffer) - 1))

    def __len__(self):
        return len(self.datapipe)


class SHARDING_PRIORITIES(IntEnum):  # noqa: N801 - PyTorch's name
    """Among whom examples are shared out."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


class _ShardingIterDataPipe(IterDataPipe):
    def apply_sharding(self, num_of_instances, instance_id, sharding_group):
        raise NotImplementedError


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(_ShardingIterDataPipe):
    """Every n-th item: the part of one of n who share them out."""

    def __init__(self, source_datapipe, sharding_group_filter=None):
        self.source_datapipe, self.sharding_group_filter = source_datapipe, sharding_group_filter
        self.groups, self.num_of_instances, self.instance_id = {}, 1, 0

    def apply_sharding(
        self, num_of_instances, instance_id, sharding_group=SHARDING_PRIORITIES.DEFAULT
    ):
        """Says which one of how many of a group this is. ValueError for one that there is not."""
        if instance_id >= num_of_instances:
            raise ValueError(
                f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})"
            )
        default = SHARDING_PRIORITIES.DEFAULT
        if sharding_group == default and set(self.groups) - {default}:
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        if sharding_group != default and default in self.groups:
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = num_of_instances, instance_id
        self.num_of_instances, self.instance_id = 1, 0
        for group in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, group):
                count, place = self.groups[group]
                self.instance_id += self.num_of_instances * place
                self.num_of_instances *= count

    def __iter__(self):
        for i, item in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield item

    def __len__(self):
        whole, rest = divmod(len(self.source_datapipe), self.num_of_instances)
        return whole + (self.instance_id < rest)
