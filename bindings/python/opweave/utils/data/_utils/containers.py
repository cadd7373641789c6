"""Containers like a given one, with other items: what subclasses add is kept where it can be."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence


def is_namedtuple(data):
    """Whether `data` is an instance of a class that `namedtuple` made."""
    return isinstance(data, tuple) and hasattr(data, "_fields")


def is_sequence(data):
    """Whether `data` is a sequence of items, as text is not."""
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def mapping_like(data, items):
    """A copy of the mapping `data` with `items`; a dict where its class can neither be copied nor made
    of one.
    """
    try:
        if not isinstance(data, MutableMapping):
            return type(data)(items)
        made = copy.copy(data)
        made.update(items)
    except TypeError:
        return items
    return made


def sequence_like(data, items):
    """A copy of the sequence `data` with the list `items`; that list where its class cannot (`range`)."""
    try:
        if not isinstance(data, MutableSequence):
            return type(data)(items)
        made = copy.copy(data)
        for i, item in enumerate(items):
            made[i] = item
    except TypeError:
        return items
    return made


def mapped(function, data, tuples):
    """`data` with `function` called on each item, `tuples(data, items)` for tuples; itself if it is no
    container.
    """
    if isinstance(data, Mapping):
        return mapping_like(data, {key: function(data[key]) for key in data})
    if not is_sequence(data):
        return data
    items = [function(item) for item in data]
    if is_namedtuple(data):
        return type(data)(*items)
    return tuples(data, items) if isinstance(data, tuple) else sequence_like(data, items)
