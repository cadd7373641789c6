"""Sampler: the order in which a program takes examples."""


class Sampler:
    """Base class of what yields the indices of examples, or lists of them; `__iter__` is a program's own."""

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")
