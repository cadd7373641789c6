"""Which processes make up a world: ranks taken twice, worlds of other sizes, one world after another."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from datetime import timedelta

import opweave as ow
import opweave.distributed as dist
import pytest
from support.ranks import Ranks, run

PROCESS = r"process \d+ on \S+"


@pytest.fixture(name="port")
def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def tries(dist, rank, size, meet, way, places, port, place, carrier, limit=3):
    """Comes as the rank and to the world that it was told of."""
    rank, size = places[rank]
    url = {"tcp": f"tcp://127.0.0.1:{port}", "file": f"file://{place}/store"}.get(way)
    where = {"init_method": url, "rank": rank, "world_size": size} if url else {}
    if way == "env":
        os.environ |= {
            "RANK": str(rank),
            "WORLD_SIZE": str(size),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
        }
    began = time.monotonic()
    try:
        dist.init_process_group(carrier, timeout=timedelta(seconds=limit), **where)
        dist.all_reduce(x := ow.ones(1))
        return ["", x.item(), time.monotonic() - began]
    except (dist.DistError, ValueError) as error:
        return [type(error).__name__, str(error), time.monotonic() - began]


def go(places, way, backend, port, tmp_path, **more):
    ranks = Ranks(
        tries,
        len(places),
        tmp_path,
        meets=False,
        way=way,
        places=places,
        port=port,
        place=str(tmp_path),
        carrier=backend,
        **more,
    )
    return ranks.wait()


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("way", ["tcp", "file", "env"])
def test_worlds_of_different_sizes_are_named_at_once(way, backend, port, tmp_path):
    results = go([(0, 3), (1, 2), (2, 3)], way, backend, port, tmp_path, limit=8)
    named = rf"\({PROCESS}\)|{PROCESS}"
    for kind, text, seconds in results:
        assert kind, text
        # Who comes when the others have given up finds nobody.
        assert seconds < (5 if "was started for a world" in text else 9.5), text
    told = [text for _, text, _ in results if "was started for a world of" in text]
    assert len(told) >= 2, results
    for text in told:
        assert re.search(
            rf"({named}) was started for a world of (2|3), .*({named}) for one of (2|3)", text
        ), text


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("way", ["tcp", "file", "env"])
def test_a_rank_that_is_there_twice_is_named(way, backend, port, tmp_path):
    results = go([(0, 3), (1, 3), (1, 3)], way, backend, port, tmp_path)
    refused = [text for kind, text, _ in results if kind == "ValueError"]
    assert len(refused) == 1, results
    assert re.fullmatch(
        rf"init_process_group\(\): rank 1 is that of {PROCESS}, which has not left its group; "
        rf"this is {PROCESS}",
        refused[0],
    )
    # The others wait for rank 2, which nobody is.
    for kind, text, seconds in results:
        if kind != "ValueError":
            assert kind in ("DistBackendError", "DistStoreError"), results
            assert seconds < 4.5, text


def again(dist, rank, size, meet, place):
    """Group after group in one store."""
    store = dist.FileStore(f"{place}/again", -1)
    values = []
    for backend in ("shm", "gloo", "shm", None):
        dist.init_process_group(
            backend, store=store, rank=rank, world_size=size, timeout=timedelta(seconds=20)
        )
        dist.all_reduce(x := ow.ones(1))
        part = dist.new_group([0, 1])
        if rank < 2:
            dist.all_reduce(x, group=part)
        values.append(x.item())
        dist.destroy_process_group()
    return values


def test_a_store_serves_one_world_after_another(tmp_path):
    assert run(again, 3, tmp_path, meets=False, place=str(tmp_path)) == [[6.0] * 4] * 2 + [
        [3.0] * 4
    ]


def smaller(dist, rank, size, meet, place):
    store = dist.FileStore(f"{place}/smaller", -1)

    def init(size):
        dist.init_process_group(
            "gloo", store=store, rank=rank, world_size=size, timeout=timedelta(seconds=20)
        )

    init(3)
    dist.barrier()
    dist.destroy_process_group()
    if rank == 2:
        return None
    init(2)
    dist.all_reduce(x := ow.ones(1))
    return x.item()


def test_the_next_world_may_be_smaller(tmp_path):
    assert run(smaller, 3, tmp_path, meets=False, place=str(tmp_path)) == [2.0, 2.0, None]


def test_a_second_call_for_the_same_store_is_refused():
    store = dist.HashStore()
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        with pytest.raises(ValueError, match="initialize the default process group twice"):
            dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    finally:
        dist.destroy_process_group()
    for _ in range(3):
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        dist.destroy_process_group()


def test_a_call_that_failed_can_be_repeated():
    store = dist.HashStore()
    for _ in range(2):
        with pytest.raises(dist.DistBackendError, match="rank 1 did not come in time"):
            dist.init_process_group(
                "gloo", store=store, rank=0, world_size=2, timeout=timedelta(seconds=0.3)
            )
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    dist.destroy_process_group()


DIES = """
import os, sys
from datetime import timedelta
import opweave.distributed as dist
dist.init_process_group("gloo", init_method="file://" + sys.argv[1], rank=int(sys.argv[2]),
                        world_size=int(sys.argv[3]), timeout=timedelta(seconds=20))
dist.barrier()
print("MET", flush=True)
sys.stdin.read()
"""


def start(path, rank, size):
    return subprocess.Popen(
        [sys.executable, "-c", DIES, path, str(rank), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
    )


@pytest.mark.parametrize("size", [3, 2], ids=["of the same size", "smaller"])
def test_a_file_that_a_dead_program_left_is_used_again(size, tmp_path):
    path = str(tmp_path / "left")
    for world in (3, size):
        processes = [start(path, rank, world) for rank in range(world)]
        assert [p.stdout.readline() for p in processes] == [b"MET\n"] * world
        for p in processes:
            p.send_signal(signal.SIGKILL)
            p.wait()
            p.stdin.close()
            p.stdout.close()


def test_a_live_holder_is_named(tmp_path):
    path = str(tmp_path / "held")
    holder = start(path, 0, 1)
    assert holder.stdout.readline() == b"MET\n"
    try:
        with pytest.raises(ValueError, match=f"rank 0 is that of process {holder.pid} on "):
            dist.init_process_group("gloo", init_method="file://" + path, rank=0, world_size=1)
    finally:
        holder.stdin.close()
        holder.wait()
        holder.stdout.close()
