"""Blocks that a program names, among the events of a profile."""

import contextlib
import threading
import time

__all__ = ["record_function"]

# (name, start, end, thread, shapes, failed) of the blocks that ended while a profile was recorded; None while
# none is.
_recorded = None


def begin():
    """Blocks that end from now on are kept."""
    global _recorded
    _recorded = []


def take():
    """Those that were kept; no more are."""
    global _recorded
    found, _recorded = _recorded or [], None
    return found


class record_function(contextlib.ContextDecorator):  # noqa: N801 - PyTorch's name
    """A `with` block, or the calls of a function, as an event of its own.

    Args:
        name: of the event.
        args: told of it, as text; not kept.
    """

    def __init__(self, name, args=None):
        if not isinstance(name, str):
            raise TypeError(f"record_function(): name must be str, not {type(name).__name__}")
        self.name, self.args = name, args
        self._starts = []

    def _recreate_cm(self):
        return type(self)(self.name, self.args)

    def __enter__(self):
        self._starts.append(time.monotonic_ns())
        return self

    def __exit__(self, kind, error, trace):
        start = self._starts.pop()
        if _recorded is not None:
            end, thread = time.monotonic_ns(), threading.get_native_id()
            _recorded.append((self.name, start, end, thread, [], error is not None))
