"""Steps on the examples of one pipe."""

import copy
import itertools
import warnings

from opweave.utils.data._utils.collate import default_collate
from opweave.utils.data.datapipes._decorator import functional_datapipe
from opweave.utils.data.datapipes.datapipe import DataChunk, IterDataPipe


class IterableWrapperIterDataPipe(IterDataPipe):
    """The items of any iterable; of a copy of it in each iteration, unless `deepcopy` is False."""

    def __init__(self, iterable, deepcopy=True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self):
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:
                warnings.warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification "
                    "would affect source data.",
                    stacklevel=2,
                )
        yield from source

    def __len__(self):
        return len(self.iterable)


def _column_of(data, column):
    if isinstance(column, (list, tuple)):
        return tuple(data[one] for one in column)
    return data[column]


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """`fn` of each item, or of its columns `input_col`, in whose place the result is.

    With an `output_col` it is there; with -1 it is one more column.
    """

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.datapipe, self.fn = datapipe, fn
        self.input_col, self.output_col = input_col, output_col

    def _apply(self, data):
        column = self.input_col
        if column is None:
            return self.fn(data)
        found = _column_of(data, column)
        result = self.fn(*found) if isinstance(column, (list, tuple)) else self.fn(found)
        made = copy.copy(data) if isinstance(data, dict) else list(data)
        self._put(made, column, result)
        return tuple(made) if isinstance(data, tuple) else made

    def _put(self, made, column, result):
        if self.output_col == -1:
            made.append(result)
        elif self.output_col is not None:
            made[self.output_col] = result
        elif isinstance(column, (list, tuple)):
            made[column[0]] = result
            for other in sorted(column[1:], reverse=True):
                del made[other]
        else:
            made[column] = result

    def __iter__(self):
        for data in self.datapipe:
            yield self._apply(data)

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Each batch as tensors."""

    def __init__(self, datapipe, collate_fn=default_collate):
        super().__init__(datapipe, fn=collate_fn)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """The items of which `filter_fn`, of the item or its columns `input_col`, is true.

    ValueError where that is no bool.
    """

    def __init__(self, datapipe, filter_fn, input_col=None):
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def _keeps(self, data):
        if self.input_col is None:
            kept = self.filter_fn(data)
        else:
            found = _column_of(data, self.input_col)
            many = isinstance(self.input_col, (list, tuple))
            kept = self.filter_fn(*found) if many else self.filter_fn(found)
        if not isinstance(kept, bool):
            raise ValueError(
                f"Boolean output is required for `filter_fn` of FilterIterDataPipe, got {type(kept)}"
            )
        return kept

    def __iter__(self):
        for data in self.datapipe:
            if self._keeps(data):
                yield data


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe):
    """Lists of `batch_size` items; the last may be shorter, unless `drop_last`."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size = datapipe, batch_size
        self.drop_last, self.wrapper_class = drop_last, wrapper_class

    def __iter__(self):
        items, least = iter(self.datapipe), self.batch_size if self.drop_last else 1
        while len(batch := list(itertools.islice(items, self.batch_size))) >= least:
            yield self.wrapper_class(batch)

    def __len__(self):
        more = 0 if self.drop_last else self.batch_size - 1
        return (len(self.datapipe) + more) // self.batch_size


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """The items of batches, `unbatch_level` deep; all levels for -1."""

    def __init__(self, datapipe, unbatch_level=1):
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self):
        if self.unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        for data in self.datapipe:
            yield from self._items(data, self.unbatch_level)

    def _items(self, data, level):
        is_batch = isinstance(data, (list, DataChunk))
        if level == 0 or (level == -1 and not is_batch):
            yield data
            return
        if not is_batch:
            raise IndexError(
                f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe"
            )
        for item in data:
            yield from self._items(item, level if level == -1 else level - 1)
