"""Calls in peace, and while signals arrive: the same bits, and no handler finds the stack elsewhere."""

import ctypes
import os
import time
from contextlib import contextmanager

import opweave as ow

_library = ctypes.CDLL(os.environ["OPWEAVE_DISTURB"])
_library.disturb_start.argtypes = [ctypes.c_int64]
_library.disturb_stop.argtypes = [ctypes.POINTER(ctypes.c_int64)]


@contextmanager
def signals(period_us, counts):
    """Signals in all threads. Adds to counts: handlers here, in other threads, of those misplaced ones."""
    _library.disturb_start(period_us)
    try:
        yield
    finally:
        found = (ctypes.c_int64 * 4)()
        _library.disturb_stop(found)
        for i, n in enumerate(found[:3]):
            counts[i] += n


def results(function):
    """The tensors that a call gives, in order, with the random numbers of one seed."""
    ow.manual_seed(11)
    found, todo = [], [function()]
    while todo:
        value = todo.pop()
        if isinstance(value, ow.Tensor):
            found.append(value.detach())
        elif isinstance(value, (list, tuple)):
            todo.extend(value)
    return found


def bits(tensors):
    return [t.contiguous().reshape(-1).view(ow.uint8) for t in tensors]


def disturb(name, function, seconds, period_us):
    """Calls the function for a while, at least twice; how many handlers ran here and in other threads.

    Raises:
        AssertionError: a handler found the stack register outside of the stack, or numbers are others.
    """
    wanted = bits(results(function))
    counts, same, calls = [0, 0, 0], True, 0
    end = time.monotonic() + seconds
    with signals(period_us, counts):
        while same and (calls < 2 or time.monotonic() < end):
            same = all(map(ow.equal, bits(results(function)), wanted))
            calls += 1
    assert counts[2] == 0, f"{name}: a signal found the stack register outside of the stack"
    assert same, f"{name}: other numbers under signals"
    return counts[:2]
