"""Groups of all processes that come and go, again and again, leave nothing: no thread, no file, no memory.

OPWEAVE_ROUNDS in the environment says how often; 1,000 take some minutes.
"""

import os
from datetime import timedelta
from pathlib import Path

import opweave as ow
import pytest
from support import ranks
from support.ranks import run
from support.sanitizers import sanitized

ROUNDS = int(os.environ.get("OPWEAVE_ROUNDS", "40"))


def ten(dist, rank, size):
    x, parts = ow.ones(1000), [ow.ones(500) for _ in range(size)]
    dist.all_reduce(x)
    dist.all_reduce(ow.ones(200_000))
    dist.broadcast(x, 0)
    dist.reduce(x, 0)
    dist.all_gather(parts, ow.ones(500))
    dist.reduce_scatter(parts[0], parts)
    dist.all_to_all(parts, [ow.ones(500) for _ in range(size)])
    dist.barrier()
    work = dist.isend(x, (rank + 1) % size)
    dist.recv(x, (rank - 1) % size)
    work.wait()
    dist.all_reduce(x, async_op=True).wait()


def held():
    """Threads, files, and pages of memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return [len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), pages]


def again(dist, rank, size, meet, carrier, where, rounds):
    store = dist.FileStore(f"{where}/rounds")
    first = []
    for i in range(rounds):
        if i == rounds // 4:
            first = held()
        dist.init_process_group(
            carrier,
            store=dist.PrefixStore(str(i), store),
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=20),
        )
        ten(dist, rank, size)
        dist.destroy_process_group()
    return [first, held()]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_nothing_is_left(backend, tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "LIMIT", 60 + ROUNDS)
    results = run(
        again, 2, tmp_path, meets=False, carrier=backend, where=str(tmp_path), rounds=ROUNDS
    )
    for first, last in results:
        assert last[:2] == first[:2]
        # A sanitizer keeps what was freed.
        if not sanitized():
            assert (last[2] - first[2]) * 4096 < 4e6 + ROUNDS * 200, "memory grows"
