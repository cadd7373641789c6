"""Objects whose conversion runs code that changes what is being read: lists are read once, from references
that are owned."""

import contextlib
import gc

import pytest


class Number:
    """A number that empties a list, or does something else, when it is asked for."""

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __index__(self):
        self.act()
        gc.collect()
        return self.value

    def __float__(self):
        return float(self.__index__())


def emptied(*values):
    """A list whose first element empties it. The others are objects of their own, which nobody else holds."""
    items = [10**9 + v - 10**9 for v in values]
    items.insert(0, Number(1, items.clear))
    return items


@pytest.mark.parametrize(
    "read",
    [
        lambda ow, x: x.view(emptied(4, 4)),
        lambda ow, x: x.sum(emptied(0)),
        lambda ow, x: x.permute(emptied(0)),
        lambda ow, x: x.repeat(emptied(2, 2)),
        lambda ow, x: ow.zeros(emptied(2, 2)),
        lambda ow, x: ow.nn.functional.pad(x, emptied(1)),
        lambda ow, x: x[emptied(0)],
        lambda ow, x: x[emptied(0), emptied(0)],
        lambda ow, x: x[[None, *emptied(0)]],
        lambda ow, x: ow.tensor(emptied(2, 3)),
        lambda ow, x: ow.tensor([emptied(2), [1, 2]]),
        lambda ow, x: ow.ops.sum.dim_IntList(x, emptied(0)),
        lambda ow, x: x.__setitem__(emptied(0), 1.0),
        lambda ow, x: ow.Size(emptied(2, 3)),
    ],
)
def test_lists_that_empty_themselves(ow, read):
    x = ow.arange(16.0).reshape(4, 4)
    with contextlib.suppress(RuntimeError, IndexError, TypeError, ValueError):
        read(ow, x)


def test_what_a_list_held_is_what_is_read(ow):
    x = ow.arange(16.0).reshape(4, 4)
    assert x.sum(emptied(0)).item() == 120
    assert ow.ones(emptied(2, 3)).shape == (1, 2, 3)
    slices = [slice(None)]
    slices.insert(0, Number(2, slices.clear))
    assert x[slices].tolist() == [8, 9, 10, 11]


def test_data_that_changes_while_it_is_read_is_refused(ow):
    with pytest.raises(RuntimeError, match="a list has changed while it was read"):
        ow.tensor(emptied(2, 3))
    growing = [1, 2]
    growing.insert(0, Number(1, lambda: growing.append(1)))
    assert ow.tensor([[1, 2, 3], growing]).tolist() == [[1, 2, 3], [1, 1, 2]]


def test_lists_without_end(ow):
    deep = 1
    for _ in range(100_000):
        deep = [1, deep]
    a, b = [1], [1]
    a.append(b)
    b.append(a)
    for data in (deep, a):
        with pytest.raises(ValueError, match="too many dimensions 'list'"):
            ow.tensor(data)
        with pytest.raises(ValueError, match="too many dimensions 'list'"):
            ow.ones(3)[data]
    while isinstance(deep, list):  # one after the other, as Python's own stack is short
        deep = deep[1]


def test_errors_of_callbacks_come_through(ow):
    def fail():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ow.ones(4).view([Number(2, fail), 2])
    with pytest.raises(KeyError, match="mine"):
        ow.ones(4)[Number(2, fail)]
