"""Calls that a program begins beside one another, and the threads that make them."""

import concurrent.futures
import threading

from opweave._arguments import is_int as _is_int
from opweave.futures import Future

_state = {"threads": None, "pool": None}
_of_pool = threading.local()  # `is_one` in a thread of the pool


def set_num_interop_threads(n):
    """How many threads make the calls that jit.fork() begins; with 1 it makes each at once. May be said once.

    Raises:
        RuntimeError: no positive int, or it was said before.
    """
    if not _is_int(n):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(n).__name__}")
    if n < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    if _state["threads"] is not None:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or "
            "set_num_interop_threads called"
        )
    _state["threads"] = n


def get_num_interop_threads():
    """How many threads make the calls that jit.fork() begins: 1, the caller's own, unless a program has said
    otherwise.
    """
    return _state["threads"] or 1


def begin(func, args, kwargs):
    """A Future of what the call returns or raises; made at once where no other thread may."""
    future = Future()
    if get_num_interop_threads() == 1 or getattr(_of_pool, "is_one", False):
        _make(future, func, args, kwargs)
        return future
    if _state["pool"] is None:
        _state["pool"] = concurrent.futures.ThreadPoolExecutor(
            _state["threads"], "opweave-interop", initializer=_say_so
        )
    from opweave._thread_settings import of_this_thread  # one thread has no other

    state = of_this_thread()

    def run():
        with state():
            _make(future, func, args, kwargs)

    _state["pool"].submit(run)
    return future


def _say_so():
    _of_pool.is_one = True


def _make(future, func, args, kwargs):
    try:
        future.set_result(func(*args, **kwargs))
    except Exception as error:
        future.set_exception(error)
