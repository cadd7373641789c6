"""IterDataPipe and MapDataPipe: steps that give examples one after another, or by index."""

import functools

from opweave.utils.data.dataset import Dataset, IterableDataset


class DataChunk(list):
    """A batch of a pipe: a list that prints what it is."""

    def __init__(self, items):
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent=""):
        """The items as text."""
        return indent + "[" + ", ".join(map(str, iter(self))) + "]"

    def raw_iterator(self):
        """The items as they are."""
        yield from self.items


class _Steps:
    """Further steps as methods: `pipe.map(f)` is `Mapper(pipe, f)`, by the names of a class's `functions`."""

    functions: dict

    def __getattr__(self, name):
        if name in type(self).functions:
            made = functools.partial(type(self).functions[name], self)
            return functools.update_wrapper(made, type(self).functions[name], assigned=("__doc__",))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def register_function(cls, function_name, function):
        """Has pipes have a method."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register, **options):
        """Has pipes have a method that puts a step behind them.

        Raises:
            Exception: there is one of this name.
        """
        if function_name in cls.functions:
            raise Exception(
                f"Unable to add DataPipe function name {function_name} as it is already taken"
            )
        cls.functions[function_name] = cls_to_register

    def __dir__(self):
        return [*super().__dir__(), *self.functions]

    def __repr__(self):
        return type(self).__qualname__


def _invalid(pipe):
    return RuntimeError(
        "This iterator has been invalidated because another iterator has been created from the same "
        f"IterDataPipe: {pipe!r}\nThis may be caused by iterating twice over it at a time: a pipe has one "
        "iterator"
    )


def _one_at_a_time(begin):
    """`__iter__` of a pipe: resets it, and ends the iterator that there was."""

    @functools.wraps(begin)
    def iterate(self):
        number = self._valid_iterator_id = (self._valid_iterator_id or 0) + 1
        self.reset()
        items = begin(self)
        while True:
            if self._valid_iterator_id != number:
                raise _invalid(self)
            try:
                item = next(items)
            except StopIteration:
                return
            yield item

    return iterate


class IterDataPipe(_Steps, IterableDataset):
    """A step that gives examples one after another; a subclass defines `__iter__`.

    A pipe has one iterator at a time; `reset()` comes before each.
    """

    functions = {}
    _valid_iterator_id = None

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "__iter__" in cls.__dict__:
            begin = cls.__iter__
            cls.__iter__ = _one_at_a_time(lambda self: iter(begin(self)))

    def reset(self):
        """What is to be done before each iteration; nothing unless a subclass says so."""


class MapDataPipe(_Steps, Dataset):
    """A step that gives examples by index; a subclass defines `__getitem__`."""

    functions = {}
