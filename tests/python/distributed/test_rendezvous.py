"""URLs that become a store, a rank and a world size, or an error with PyTorch's words."""

import datetime
import os
import socket
import subprocess
import sys
import time
from datetime import timedelta

import opweave as ow
import opweave.distributed as dist
import pytest
from support.ranks import run


@pytest.fixture(name="port")
def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "OPWEAVE_STORE_SECRET"):
        monkeypatch.delenv(name, raising=False)


def environment(monkeypatch, port, **more):
    values = {"RANK": 0, "WORLD_SIZE": 1, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, **more}
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))


def test_a_file(tmp_path):
    url = f"file://{tmp_path}/st%20ore"
    store, rank, world_size = next(dist.rendezvous(f"{url}?rank=0&world_size=1"))
    assert (rank, world_size) == (0, 1)
    assert store.path == f"{tmp_path}/st ore"
    other, *numbers = next(dist.rendezvous(url, 1, 2, timeout=datetime.timedelta(seconds=5)))
    assert numbers == [1, 2]
    assert other.timeout == datetime.timedelta(seconds=5)


def test_a_host(port):
    found = dist.rendezvous(f"tcp://127.0.0.1:{port}", 0, 1, timeout=datetime.timedelta(seconds=5))
    store, rank, world_size = next(found)
    assert (store.host, store.port, rank, world_size) == ("127.0.0.1", port, 0, 1)
    assert store.timeout == datetime.timedelta(seconds=5)
    with pytest.raises(RuntimeError, match="Unable to perform re-rendezvous using tcp:// method"):
        next(found)


MEETS = """
import opweave.distributed as dist
store, rank, world_size = next(dist.rendezvous("env://"))
store.set(str(rank), f"rank {rank}")
print(store.get(str((rank + 1) % world_size)).decode())
store.barrier("end", world_size)
# Whoever serves the store leaves last.
if rank == 0:
    for _ in range(1, world_size):
        store.queue_pop("left")
else:
    store.queue_push("left", "")
"""


@pytest.mark.parametrize("secret", [None, "abc"])
def test_processes_meet_by_the_environment(port, secret):
    own = {**os.environ, "WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    if secret:
        own["OPWEAVE_STORE_SECRET"] = secret
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MEETS],
            env={**own, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(3)
    ]
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert said == ["rank 1\n", "rank 2\n", "rank 0\n"]
    assert [process.returncode for process in processes] == [0] * 3


def test_the_secret_is_asked_for(port, monkeypatch):
    environment(monkeypatch, port, OPWEAVE_STORE_SECRET="abc")
    store, _, _ = next(dist.rendezvous("env://"))
    with pytest.raises(dist.DistStoreError, match="asks for a secret"):
        dist.TCPStore("127.0.0.1", store.port)


def test_an_agents_store_outlives_its_workers(monkeypatch):
    agent = dist.TCPStore("127.0.0.1", 0, is_master=True)
    environment(
        monkeypatch, agent.port, TORCHELASTIC_USE_AGENT_STORE="True", TORCHELASTIC_RESTART_COUNT=2
    )
    store, _, _ = next(dist.rendezvous("env://"))
    store.set("k", "v")
    assert agent.get("/worker/attempt_2/k") == b"v"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("file://?rank=0&world_size=1", "using file:// rendezvous: path missing"),
        ("file:///f?world_size=1", "using file:// rendezvous: rank parameter missing"),
        ("tcp://127.0.0.1?rank=0&world_size=1", "using tcp:// rendezvous: port number missing"),
        ("tcp://127.0.0.1:1?rank=0", "using tcp:// rendezvous: world size parameter missing"),
        (
            "tcp://127.0.0.1:1?rank=a&world_size=1",
            "tcp:// rendezvous: the rank is no whole number: 'a'",
        ),
        ("tcp://127.0.0.1:1?rank=2&world_size=2", "rank 2 is none of a world of size 2"),
        ("env://", "using env:// rendezvous: environment variable RANK expected, but not set"),
        ("env://?rank=0", "environment variable WORLD_SIZE expected, but not set"),
        ("env://?rank=0&world_size=1", "environment variable MASTER_ADDR expected, but not set"),
    ],
)
def test_what_is_missing_is_named(url, text):
    with pytest.raises(ValueError, match=text):
        dist.rendezvous(url)


def test_ports_are_numbers(monkeypatch):
    environment(monkeypatch, "http")
    with pytest.raises(ValueError, match="MASTER_PORT is no whole number: 'http'"):
        dist.rendezvous("env://")
    environment(monkeypatch, 70000)
    with pytest.raises(ValueError, match="MASTER_PORT is no port: 70000"):
        dist.rendezvous("env://")


def test_arguments():
    with pytest.raises(RuntimeError, match="No rendezvous handler for foo://"):
        dist.rendezvous("foo://x")
    with pytest.raises(RuntimeError, match="`url` must be a string"):
        dist.rendezvous(3)
    with pytest.raises(RuntimeError, match=r"`rank` must be an integer. a"):
        dist.rendezvous("env://", "a", 1)
    with pytest.raises(ValueError, match=r"rank is in the URL .* and an argument as well"):
        dist.rendezvous("tcp://127.0.0.1:1?rank=0", 0, 1)


def test_handlers_of_ones_own():
    dist.register_rendezvous_handler("mine", lambda url, **more: iter([(url, more)]))
    assert next(dist.rendezvous("mine://x", 1, 2, timeout=3)) == (
        "mine://x?rank=1&world_size=2",
        {"timeout": 3},
    )
    with pytest.raises(RuntimeError, match="Rendezvous handler for mine:// already registered"):
        dist.register_rendezvous_handler("mine", None)


def again_and_again(dist, rank, size, meet, port):
    """At one address: whoever is early finds the server of the group before."""
    values = []
    for _ in range(3):
        dist.init_process_group(
            "gloo",
            init_method=f"tcp://127.0.0.1:{port}",
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=20),
        )
        dist.all_reduce(x := ow.ones(1))
        values.append(x.item())
        if rank == 0:
            time.sleep(0.6)
        dist.destroy_process_group()
    return values


def test_a_port_is_used_again_before_rank_0_has_left(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    results = run(again_and_again, 3, tmp_path, meets=False, port=port)
    assert results == [[3.0] * 3] * 3


def never_left(dist, rank, size, meet, port):
    def init(timeout):
        dist.init_process_group(
            "gloo",
            init_method=f"tcp://127.0.0.1:{port}",
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=timeout),
        )

    init(20)
    dist.barrier()
    if rank == 0:
        time.sleep(2.5)
        return None
    dist.destroy_process_group()
    began = time.monotonic()
    with pytest.raises(dist.DistStoreError) as caught:
        init(1)
    return [str(caught.value), time.monotonic() - began]


def test_a_server_of_an_earlier_group_that_stays_is_named(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text, seconds = run(never_left, 2, tmp_path, meets=False, port=port)[1]
    assert "the server is that of an earlier group, whose 2 processes have all come" in text
    assert seconds < 2
