"""Data sets: examples by index or one after another, and data sets made of others."""

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable
from typing import Generic, TypeVar

from opweave import _C
from opweave._random import default_generator

_T_co = TypeVar("_T_co", covariant=True)
_T_stack = TypeVar("_T_stack")


class Dataset(Generic[_T_co]):
    """Base class of what has examples by index.

    A program's class has `__getitem__`, and `__len__` where samplers ask for it. `__getitems__`, where there
    is one, is given the list of a batch's indices and returns the list of their examples.
    """

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Base class of what has examples one after another, `__iter__`, and maybe a length."""

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[_C.Tensor, ...]]):
    """Tuples of what `tensors` have at an index of their first dimensions, which have one size."""

    def __init__(self, *tensors):
        for i, tensor in enumerate(tensors):
            if tensor.size(0) != tensors[0].size(0):
                raise AssertionError(
                    "TensorDataset: Size mismatch between tensors: expected that the first "
                    "dimension of all has the "
                    f"size {tensors[0].size(0)} of tensors[0], but tensors[{i}] has {tensor.size(0)}"
                )
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


def _several(dataset, indices):
    """The examples at `indices`, at once where the data set can."""
    at_once = getattr(dataset, "__getitems__", None)
    if not callable(at_once):
        return [dataset[i] for i in indices]
    return at_once(indices)


class StackDataset(Dataset[_T_stack]):
    """Tuples, or dictionaries for data sets that are given by name, of what data sets of one length
    have at an index.
    """

    def __init__(self, *args, **kwargs):
        if bool(args) == bool(kwargs):
            given = "both" if args else "none"
            raise ValueError(
                "StackDataset: expected at least one data set, either by place (for tuples) or by name "
                f"(for dictionaries), but got {given}"
            )
        named = dict(enumerate(args)) or kwargs
        sizes = {name: len(dataset) for name, dataset in named.items()}
        self._length = next(iter(sizes.values()))
        for name, size in sizes.items():
            if size != self._length:
                raise ValueError(
                    "StackDataset: Size mismatch between datasets: expected that all have the length "
                    f"{self._length} of the first one, but {name!r} has {size}"
                )
        self.datasets = args or kwargs

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices):
        named = isinstance(self.datasets, dict)
        columns = []
        for dataset in self.datasets.values() if named else self.datasets:
            column = _several(dataset, indices)
            if len(column) != len(indices):
                raise ValueError(
                    f"StackDataset: expected {len(indices)} examples of "
                    f"{type(dataset).__name__}.__getitems__, "
                    f"got {len(column)}"
                )
            columns.append(column)
        rows = list(zip(*columns, strict=True))
        return [dict(zip(self.datasets, row, strict=True)) for row in rows] if named else rows

    def __len__(self):
        return self._length


class ConcatDataset(Dataset[_T_co]):
    """The examples of several data sets, one set after another."""

    @staticmethod
    def cumsum(sequence):
        """Where each item of `sequence` ends, by their lengths."""
        return list(itertools.accumulate(map(len, sequence)))

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError(
                "ConcatDataset: datasets should not be an empty iterable, expected at least one"
            )
        for i, dataset in enumerate(self.datasets):
            if isinstance(dataset, IterableDataset):
                raise AssertionError(
                    "ConcatDataset: expected data sets with indices, but "
                    f"datasets[{i}] is an IterableDataset ({type(dataset).__name__}); "
                    "ChainDataset takes those"
                )
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < -len(self):
            raise ValueError(
                "ConcatDataset: absolute value of index should not exceed dataset length "
                f"{len(self)}, but got {idx}"
            )
        if idx < 0:
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        if which == len(self.datasets):
            raise IndexError(f"ConcatDataset: index {idx} is out of range for length {len(self)}")
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]

    @property
    def cummulative_sizes(self):
        """The old name of `cumulative_sizes`."""
        warnings.warn(
            "cummulative_sizes is the old name of cumulative_sizes", FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """The examples of several IterableDatasets, one set after another; `datasets` is read when it is
    iterated.
    """

    def __init__(self, datasets):
        self.datasets = datasets

    def _checked(self):
        for i, dataset in enumerate(self.datasets):
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(
                    f"ChainDataset only supports IterableDataset, but datasets[{i}] is of "
                    f"{type(dataset).__name__}"
                )
            yield dataset

    def __iter__(self):
        for dataset in self._checked():
            yield from dataset

    def __len__(self):
        return sum(len(dataset) for dataset in self._checked())


class Subset(Dataset[_T_co]):
    """The examples of `dataset` at the sequence `indices`.

    A subclass with a `__getitem__` of its own needs a `__getitems__` as well: DataLoader asks for batches.
    """

    def __init__(self, dataset, indices):
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} has a __getitem__ of its own and Subset's __getitems__, "
                "which would not call it; "
                "expected both, such as\n    def __getitems__(self, indices):\n"
                "        return [self[i] for i in indices]"
            )
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        return _several(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def _of_fractions(fractions, n):
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(
                f"random_split: Fraction at index {i} is not between 0 and 1, but {fraction}"
            )
    lengths = [math.floor(n * fraction) for fraction in fractions]
    for i in range(n - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return lengths


def random_split(dataset, lengths, generator=default_generator):
    """Subsets of `dataset` in a random order that have no example in common.

    Args:
        dataset: what has a length.
        lengths: of the subsets; or fractions with the sum 1, rounded down, and what is left over goes one by
            one to the first of them.
        generator: draws one permutation.

    ValueError for lengths with another sum than the length of `dataset`.
    """
    total, n = sum(lengths), len(dataset)
    if math.isclose(total, 1) and total <= 1:
        lengths = _of_fractions(lengths, n)
    if sum(lengths) != n:
        raise ValueError(
            "random_split: Sum of input lengths does not equal the length of the input dataset: "
            f"{list(lengths)} have the sum {sum(lengths)}, expected {n}, or fractions with the sum 1"
        )
    order = _C.randperm(n, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [
        Subset(dataset, order[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]
