"""Samplers: the order in which a program takes examples.

Random ones call the generator as PyTorch's do, in the same order: a generator whose engine is "mt19937" gives
PyTorch's order.
"""

import itertools
from typing import Generic, TypeVar

from opweave import _C

_T_co = TypeVar("_T_co", covariant=True)
_DRAWN_AT_ONCE = 32  # with replacement: as many as PyTorch, so that generators agree on the calls


class Sampler(Generic[_T_co]):
    """Base class of what yields the indices of examples, or lists of them; `__iter__` is a program's own.

    A sampler without a length has no `__len__`: `list` would ask it.
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


def _check_bool(where, name, value, error):
    if not isinstance(value, bool):
        raise error(f"{where}: {name} should be a boolean value, but got {name}={value!r}")


def _check_positive(where, name, value, bools=False):
    if not isinstance(value, int) or (isinstance(value, bool) and not bools) or value <= 0:
        raise ValueError(
            f"{where}: {name} should be a positive integer value, but got {name}={value!r}"
        )


class SequentialSampler(Sampler[int]):
    """The indices of `data_source`, which has a length, from the first to the last."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices of `data_source` in a random order.

    Args:
        data_source: what has a length.
        replacement: whether each index is drawn by itself, so that one may come twice.
        num_samples: how many are drawn; the length for None. Without replacement every index comes before one
            comes again.
        generator: what draws; for None a new one in each iteration, whose seed the default generator draws.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        _check_bool("RandomSampler", "replacement", replacement, TypeError)
        _check_positive("RandomSampler", "num_samples", self.num_samples, bools=True)

    @property
    def num_samples(self):
        """How many indices an iteration has; follows the length of the data where it was not given."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _drawing(self):
        if self.generator is not None:
            return self.generator
        seed = _C.empty((), dtype=_C.int64).random_().item()
        return _C.Generator().manual_seed(int(seed))

    def __iter__(self):
        n, generator, wanted = len(self.data_source), self._drawing(), self.num_samples
        if self.replacement:
            whole, rest = divmod(wanted, _DRAWN_AT_ONCE)
            for size in (*[_DRAWN_AT_ONCE] * whole, rest):
                yield from _C.randint(
                    high=n, size=(size,), dtype=_C.int64, generator=generator
                ).tolist()
            return
        whole, rest = divmod(wanted, n)
        for size in (*[n] * whole, rest):
            yield from _C.randperm(n, generator=generator).tolist()[:size]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The items of the sequence `indices` in a random order, each once."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in _C.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices of `weights`, each as often as its weight says.

    Args:
        weights: numbers in one dimension, a sequence or a tensor; their sum need not be 1.
        num_samples: how many are drawn.
        replacement: whether an index may be drawn again.
        generator: what draws; the default generator for None.
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _check_positive("WeightedRandomSampler", "num_samples", num_samples)
        _check_bool("WeightedRandomSampler", "replacement", replacement, ValueError)
        self.weights = _C.as_tensor(weights, dtype=_C.float64)
        if self.weights.dim() != 1:
            raise ValueError(
                "WeightedRandomSampler: weights should be a 1d sequence, but got "
                f"weights of shape {tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement = num_samples, replacement
        self.generator = generator

    def __iter__(self):
        drawn = _C.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices, one after another, of any iterable `sampler`.

    The last list is shorter where they do not suffice, or left out with `drop_last`.
    """

    def __init__(self, sampler, batch_size, drop_last):
        _check_positive("BatchSampler", "batch_size", batch_size)
        _check_bool("BatchSampler", "drop_last", drop_last, ValueError)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        least = self.batch_size if self.drop_last else 1
        while len(batch := list(itertools.islice(indices, self.batch_size))) >= least:
            yield batch

    def __len__(self):
        more = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + more) // self.batch_size
