"""A barrier that says who did not come, and leaves the group as it was."""

import os
import time
from datetime import timedelta

from opweave._distributed import (
    DistBackendError,
    DistNetworkError,
    DistStoreError,
    PrefixStore,
    _Within,
)
from opweave.distributed import _arguments
from opweave.distributed._groups import GroupMember, member

_BETWEEN_LOOKS = 0.2  # seconds
# For what is said to others when the time is over.
_MOMENT = timedelta(seconds=0.5)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """Returns when every process of the group has called it; for finding ranks that are out of step.

    Unlike `barrier` it goes through the group's store, and its failure ends nothing: the group goes on.
    `timeout` is a timedelta or seconds; that of the group if None. DistBackendError on every rank that came
    if another did not in that time: it names the first of those that are missing, with `wait_all_ranks` all.
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    group, known = member(group)
    limit = _arguments.span(known.timeout if timeout is None else timeout, "monitored_barrier()")
    if os.getpid() != known.process:
        raise RuntimeError(
            f"monitored_barrier(): the group '{group.group_name}' was made by process {known.process}, from "
            "which this one was forked; make a group of its own"
        )
    known.barriers += 1
    name = f"monitored_barrier() number {known.barriers} of the group '{group.group_name}'"
    where = f"monitored/{group.group_name}"
    store = PrefixStore(f"{where}/{known.barriers}", known.store)
    try:
        if group.rank() == 0:
            _lead(store, group, limit, wait_all_ranks, name)
            # Who came to this one has read all of the last one.
            with _Within(_MOMENT):
                for key in ("rank/0", "answer"):
                    known.store.delete_key(f"{where}/{known.barriers - 1}/{key}")
        else:
            _follow(store, group, limit, name)
    except (DistStoreError, DistNetworkError) as error:
        raise DistBackendError(f"{name}: the store does not answer: {error}") from error


def _lead(store, group, limit, wait_all_ranks, name):
    end = time.monotonic() + limit.total_seconds()
    with _Within(max(limit, _MOMENT)):
        store.set("rank/0", "")
    missing = []
    for rank in range(1, group.size()):
        if not _came(store, f"rank/{rank}", end, group, rank):
            missing.append(rank)
            if not wait_all_ranks:
                break
    said = _missing(missing, limit, group) if missing else ""
    with _Within(_MOMENT):
        for rank in range(1, group.size()):
            store.delete_key(f"rank/{rank}")
        # Whoever comes too late reads the same.
        store.set("answer", said)
    if missing:
        raise DistBackendError(f"{name}: {said}")


def _follow(store, group, limit, name):
    with _Within(max(limit, _MOMENT)):
        store.set(f"rank/{group.rank()}", "")
    # The first rank may wait as long for another, and answers then.
    end = time.monotonic() + limit.total_seconds()
    came = _came(store, "rank/0", end, group, 0)
    end = time.monotonic() + limit.total_seconds() + 0.5
    if not came or not _came(store, "answer", end, group, 0):
        raise DistBackendError(f"{name}: {_missing([0], limit, group)}")
    with _Within(_MOMENT):
        said = store.get("answer").decode()
    if said:
        raise DistBackendError(f"{name}: {said}")


def _came(store, key, end, group, rank):
    """Whether a key is set in time by a rank, which the group has not seen end."""
    while True:
        # At least a look: a store takes no time at all for no limit.
        now = time.monotonic()
        slice_ = min(max(end - now, 0.001), _BETWEEN_LOOKS)
        try:
            store.wait([key], timedelta(seconds=slice_))
        except DistStoreError:
            if rank in group._lost() or time.monotonic() >= end:
                return False
        except DistNetworkError:
            # One that is stopped for a moment may answer later, one that has ended will not.
            if time.monotonic() < now + slice_ or time.monotonic() >= end:
                raise
        else:
            return True


def _missing(ranks, limit, group):
    lost = group._lost()
    said = [f"rank {rank} ({lost[rank]}) has ended" for rank in ranks if rank in lost]
    if late := [str(rank) for rank in ranks if rank not in lost]:
        names = ("rank " if len(late) == 1 else "ranks ") + ", ".join(late)
        said.append(f"{names} did not come within {limit.total_seconds():g}s")
    return "; ".join(said)
