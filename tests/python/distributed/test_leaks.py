"""Groups of all processes that come and go, again and again, leave nothing: no thread, no file, no memory.

OPWEAVE_ROUNDS in the environment says how often; 1,000 take some minutes.
"""

import os
import socket
from datetime import timedelta
from pathlib import Path

import opweave as ow
import pytest
from support import ranks
from support.held import held
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


def counts():
    """Of threads, open files, segments of shared memory, and pages of memory."""
    now, pages = held(), int(Path("/proc/self/statm").read_text().split()[1])
    return [now["threads"], len(now["files"]), len(now["shared"]), pages]


def again(dist, rank, size, meet, carrier, where, rounds):
    store = dist.FileStore(f"{where}/rounds")
    first = []
    for i in range(rounds):
        if i == rounds // 4:
            first = counts()
        dist.init_process_group(
            carrier,
            store=dist.PrefixStore(str(i), store),
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=20),
        )
        ten(dist, rank, size)
        dist.destroy_process_group()
    return [first, counts()]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_nothing_is_left(backend, tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "LIMIT", 60 + ROUNDS)
    results = run(
        again, 2, tmp_path, meets=False, carrier=backend, where=str(tmp_path), rounds=ROUNDS
    )
    for first, last in results:
        check(first, last)


def check(first, last):
    assert last[:3] == first[:3]
    # A sanitizer keeps what was freed.
    if not sanitized():
        assert (last[3] - first[3]) * 4096 < 4e6 + ROUNDS * 200, "memory grows"


def kept(dist, rank, size, meet, carrier, where):
    store = dist.FileStore(f"{where}/kept")
    first, groups = counts()[:3], []
    for i in range(3):
        prefix = dist.PrefixStore(str(i), store)
        dist.init_process_group(carrier, store=prefix, rank=rank, world_size=size)
        groups += [dist.group.WORLD, dist.new_group([0, 1])]
        ten(dist, rank, size)
        dist.all_reduce(ow.ones(3), group=groups[-1], async_op=True).wait()
        dist.destroy_process_group()
        if i == 0:
            first = counts()[:3]  # what the process keeps for the next group is there
    texts = []
    for group in groups:
        with pytest.raises(RuntimeError) as error:
            group.allreduce(ow.ones(3)).wait()
        texts.append(str(error.value))
    return [first, counts()[:3], texts]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_who_keeps_a_group_that_was_left_keeps_no_thread(backend, tmp_path):
    for first, last, texts in run(
        kept, 2, tmp_path, meets=False, carrier=backend, where=str(tmp_path)
    ):
        assert last == first
        assert last[0] <= 2  # of the store that watches its file, at most
        for text in texts:
            assert "': its process group was destroyed" in text


def met_again(dist, rank, size, meet, carrier, url, where, rounds):
    first, keys = [], []
    between = dist.FileStore(f"{where}/rounds")
    for i in range(rounds):
        if i == rounds // 4:
            first = counts()
        dist.init_process_group(
            carrier,
            init_method=f"{url}{i}" if url.startswith("file") else url,
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=20),
        )
        ten(dist, rank, size)
        dist.barrier()
        keys.append(dist.group.WORLD.get_group_store().num_keys())
        dist.barrier()
        dist.destroy_process_group()
        # Who comes to the port sooner would find the server of the last round.
        between.barrier(str(i), size)
    return [first, counts(), keys[rounds // 4 :]]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("scheme", ["file", "tcp"])
def test_meeting_leaves_nothing(scheme, backend, tmp_path, monkeypatch):
    """Shorter: every round meets anew, in a store of its own or at the same port."""
    monkeypatch.setattr(ranks, "LIMIT", 60 + ROUNDS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = {"file": f"file://{tmp_path}/met", "tcp": f"tcp://127.0.0.1:{free.getsockname()[1]}"}
    before = set(os.listdir("/dev/shm"))
    results = run(
        met_again,
        2,
        tmp_path,
        meets=False,
        carrier=backend,
        url=url[scheme],
        where=str(tmp_path),
        rounds=ROUNDS // 4,
    )
    for first, last, keys in results:
        check(first, last)
        assert len(set(keys)) == 1, "keys of earlier groups are left"
    assert not [name for name in set(os.listdir("/dev/shm")) - before if "opweave" in name]
