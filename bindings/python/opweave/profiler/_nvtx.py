"""Ranges after torch.cuda.nvtx, opweave.cuda.nvtx: named blocks (record_function) on every target."""

import contextlib
import itertools
import threading

from opweave.profiler._ranges import record_function

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_local = threading.local()
_started = {}
_numbers = itertools.count(1)


def _open():
    """The ranges that this thread has pushed and not popped."""
    if not hasattr(_local, "ranges"):
        _local.ranges = []
    return _local.ranges


def range_push(msg):
    """Begins a range, within those that this thread has begun; gives its depth, from 0 on."""
    ranges = _open()
    ranges.append(record_function(msg).__enter__())
    return len(ranges) - 1


def range_pop():
    """Ends the range that this thread began last; gives its depth, -2 where there is none."""
    ranges = _open()
    if not ranges:
        return -2
    ranges.pop().__exit__(None, None, None)
    return len(ranges)


def range_start(msg):
    """Begins a range that any thread may end; gives its number."""
    number = next(_numbers)
    _started[number] = record_function(msg).__enter__()
    return number


def range_end(range_id):
    """Ends the range with a number of range_start().

    Raises:
        ValueError: no such range has begun, or it has ended.
    """
    block = _started.pop(range_id, None)
    if block is None:
        raise ValueError(
            f"range_end(): expected a number that range_start() gave, got {range_id!r}"
        )
    block.__exit__(None, None, None)


def mark(msg):
    """A moment with a name: a range that ends at once."""
    with record_function(msg):
        pass


@contextlib.contextmanager
def range(msg, *args, **kwargs):
    """A `with` block, or the calls of a function, as a range; the text is formatted with what follows it."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
