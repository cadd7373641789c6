"""Steps that put several pipes together."""

import builtins

from opweave.utils.data.datapipes._decorator import functional_datapipe
from opweave.utils.data.datapipes.datapipe import IterDataPipe


def _check(name, datapipes):
    if len(datapipes) == 0:
        raise ValueError(f"Expected at least one DataPipe of {name}, but got nothing")
    for pipe in datapipes:
        if not isinstance(pipe, IterDataPipe):
            raise TypeError(
                f"Expected all inputs of {name} to be `IterDataPipe`, got {type(pipe).__name__}"
            )


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """All items of the first pipe, then those of the next."""

    def __init__(self, *datapipes):
        _check("Concater", datapipes)
        self.datapipes = datapipes

    def __iter__(self):
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self):
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe):
    """Tuples of an item of each, until one has no more."""

    def __init__(self, *datapipes):
        _check("Zipper", datapipes)
        self.datapipes = datapipes

    def __iter__(self):
        yield from builtins.zip(*self.datapipes, strict=False)

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes)


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe):
    """An item of each in turn, until one has no more; what the others gave in that round is left out."""

    def __init__(self, *datapipes):
        self.datapipes = datapipes

    def __iter__(self):
        for items in builtins.zip(*self.datapipes, strict=False):
            yield from items

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes) * len(self.datapipes)
