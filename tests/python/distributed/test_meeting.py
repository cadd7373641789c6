"""Ranks that do not meet: who is missing has a name, in time, and nobody hangs."""

import os
import random
import re
import signal
import time
from datetime import timedelta

import opweave as ow
import opweave.distributed as dist
import pytest
from support.ranks import Ranks, run


def meeting(dist, rank, size, meet):
    began = time.monotonic()
    try:
        meet()
        dist.barrier()
    except dist.DistError as error:
        return [type(error).__name__, str(error), time.monotonic() - began]
    return None


@pytest.mark.parametrize("backend", ["shm", "gloo", None])
def test_a_rank_that_is_not_started_is_named(backend, tmp_path):
    ranks = Ranks(meeting, 3, tmp_path, backend=backend, timeout=1, meets=False, started=[0, 2])
    for kind, text, seconds in ranks.wait():
        assert kind == "DistBackendError", text
        assert "the group 'world' of 3 ranks cannot be made: rank 1 did not come in time" in text
        assert 0.9 < seconds < 2


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
@pytest.mark.parametrize("seed", range(3))
def test_a_rank_that_ends_while_all_meet(how, seed, tmp_path):
    """At any moment: the others raise, or had met before."""
    ranks = Ranks(meeting, 3, tmp_path, backend="gloo", timeout=1, meets=False)
    while not (tmp_path / "store").exists():
        time.sleep(0.001)
    time.sleep(random.Random(seed).uniform(0, 0.04))
    ranks.processes[1].send_signal(how)
    for rank in (0, 2):
        ranks.processes[rank].wait(30)
    ranks.processes[1].kill()
    results = ranks.wait()
    for result in (results[0], results[2]):
        if result is not None:
            kind, text, seconds = result
            # The store's file may be locked for ever, and the third may have given up already.
            locked = f"process {ranks.processes[1].pid} holds it" in text
            assert kind == ("DistStoreError" if locked else "DistBackendError"), text
            assert locked or "rank 1" in text or re.search(r"ranks [\d, ]*\b1\b", text), text
            assert seconds < 2


def strangers(dist, rank, size, meet):
    """While rank 0 waits for rank 1, somebody else calls, and talks nonsense."""
    if rank == 1:
        import socket

        store = dist.FileStore(os.environ["STORE"], -1)
        store.set_timeout(timedelta(seconds=20))
        own = "world/0/watched/group/world/gloo/watched"
        store.set(f"{own}/network/1", store.get(f"{own}/network/0"))
        place = store.get(f"{own}/place/0")
        host, port = place[16:].split(b" ")[1], int(place[16:].split(b" ")[0])
        callers = [socket.create_connection((host, port)) for _ in range(3)]
        callers[0].sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
        callers[1].close()
    meet()
    x = ow.ones(1)
    dist.all_reduce(x)
    return x.tolist()


def test_strangers_are_turned_away(tmp_path):
    environment = {"STORE": str(tmp_path / "store")}
    results = run(strangers, 2, tmp_path, backend="gloo", meets=False, environment=environment)
    assert results == [[2.0]] * 2


@pytest.mark.parametrize("interface", ["lo", "nope,lo"])
def test_the_interface_is_that_of_the_environment(interface, tmp_path):
    ranks = Ranks(
        meeting,
        2,
        tmp_path,
        backend="gloo",
        meets=False,
        environment={"GLOO_SOCKET_IFNAME": interface},
    )
    assert ranks.wait() == [None, None]


def late(dist, rank, size):
    if rank == 1:
        time.sleep(1.5)
        return None
    return meeting(dist, rank, size, lambda: None)


def test_reports_say_over_what(tmp_path):
    result = run(
        late, 2, tmp_path, backend="gloo", timeout=0.5, environment={"GLOO_SOCKET_IFNAME": "lo"}
    )[0]
    assert (
        "rank 1 did not come in time; rank 0 did, over lo (127.0.0.1); GLOO_SOCKET_IFNAME=lo"
        in result[1]
    )


def test_an_interface_that_is_not_there(monkeypatch):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "eth99")
    with pytest.raises(
        dist.DistBackendError,
        match=r"gloo: GLOO_SOCKET_IFNAME=eth99: this host has no such interface with an address; "
        r"it has lo \(127.0.0.1\)",
    ):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    assert not dist.is_initialized()
