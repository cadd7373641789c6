"""Collectives that are called one by one and carried out together."""

import threading

from opweave.distributed import _arguments
from opweave.distributed._groups import member

_here = threading.local()


class Coalesced:
    """What a `_coalescing_manager` has collected, and then its works."""

    def __init__(self, group):
        self.group = group
        self.calls = []
        self.works = []

    def append(self, works):
        """Works to wait for as well."""
        self.works += works if isinstance(works, list) else [works]

    def wait(self):
        """Returns when all are done; raises what the first failed with."""
        for work in self.works:
            work.wait()
        self.works = []


def collecting(group):
    """The manager around this call that collects a group's collectives; None where there is none."""
    return getattr(_here, "managers", {}).get(group)


def collects():
    """Whether this thread is in the block of any manager: asked before each collective."""
    return bool(getattr(_here, "managers", None))


def _start(calls):
    """Neighbours that differ in their tensors alone become one call, where that takes several."""
    works = []
    while calls:
        first, *calls = calls
        start, (tensors, *others), options, joins, name = first
        tensors = list(tensors) if joins else tensors
        while joins and calls and _alike(first, calls[0]):
            tensors += calls.pop(0)[1][0]
        works.append(_arguments.naming(start, name)(tensors, *others, async_op=True, **options))
    return works


def _alike(a, b):
    dtypes = {tensor.dtype for tensor in [*a[1][0], *b[1][0]]}
    return a[0] is b[0] and a[1][1:] == b[1][1:] and a[2] == b[2] and len(dtypes) == 1


class _coalescing_manager:  # noqa: N801 - PyTorch's name
    """Collects the collectives of a group that are called in its block, and carries them out at its end.

    Those of one kind that can be one call are. `async_ops=True`: the manager's `wait()` waits for them.
    ValueError for a manager of the same group within.
    """

    def __init__(self, group=None, device=None, async_ops=False):
        self.group, _ = member(group)
        self.async_ops = async_ops

    def __enter__(self):
        managers = _here.__dict__.setdefault("managers", {})
        if self.group in managers:
            raise ValueError("ProcessGroup has non-empty op list at the start of coalescing")
        self.manager = managers[self.group] = Coalesced(self.group)
        return self.manager

    def __exit__(self, kind, error, traceback):
        del _here.managers[self.group]
        if kind is not None:
            return
        self.manager.append(_start(self.manager.calls))
        if not self.async_ops:
            self.manager.wait()
