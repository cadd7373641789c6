"""Calls of stores, barriers and the making of groups end within their own time, whatever stops meanwhile."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import opweave.distributed as dist
import pytest
from support.ranks import Ranks

LOCAL = "127.0.0.1"
SERVES = """
import sys, time
import opweave.distributed as dist
server = dist.TCPStore("127.0.0.1", 0, is_master=True)
print(server.port, flush=True)
time.sleep(100)
"""
HOLDS = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(name="process")
def server_in_a_process():
    with subprocess.Popen([sys.executable, "-c", SERVES], stdout=subprocess.PIPE) as process:
        process.port = int(process.stdout.readline())
        yield process
        process.kill()


def stop(process):
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


def seconds_of(call, kinds, text):
    began = time.monotonic()
    with pytest.raises(kinds, match=text):
        call()
    return time.monotonic() - began


WAITS = {
    "wait": lambda s: s.wait(["k"], 0.3),
    "wait as a timedelta": lambda s: s.wait(["k"], timedelta(seconds=0.3)),
    "barrier": lambda s: s.barrier("b", 2, 0.3),
    "below a prefix": lambda s: dist.PrefixStore("p", s).wait(["k"], 0.3),
}


@pytest.mark.parametrize("call", WAITS)
def test_a_wait_of_a_stopped_server_keeps_its_own_time(call, process):
    store = dist.TCPStore(LOCAL, process.port, timeout=60.0)
    store.set("before", "1")
    stop(process)
    # Twice: after the first the connection has to be made anew.
    for _ in range(2):
        assert seconds_of(lambda: WAITS[call](store), dist.DistNetworkError, "in time|connect") < 2


def test_a_wait_does_not_take_another_threads_time(process):
    store = dist.TCPStore(LOCAL, process.port, timeout=4.0)
    stop(process)

    def add():
        with pytest.raises(dist.DistNetworkError):
            store.add("n", 1)

    other = threading.Thread(target=add)
    other.start()
    time.sleep(0.2)
    text = "another thread's request is not answered"
    assert seconds_of(lambda: store.wait(["k"], 0.3), dist.DistNetworkError, text) < 2
    other.join()


def test_a_wait_for_a_locked_file_keeps_its_own_time(tmp_path):
    path = str(tmp_path / "file")
    store = dist.FileStore(path, timeout=timedelta(seconds=60))
    with subprocess.Popen([sys.executable, "-c", HOLDS, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        text = f"cannot lock the file, process {holder.pid} holds it"
        for call in ("wait", "barrier", "below a prefix"):
            assert seconds_of(lambda call=call: WAITS[call](store), dist.DistStoreError, text) < 2
        holder.kill()
    store.set("k", "1")
    WAITS["wait"](store)


def test_a_prefix_has_a_timeout_of_its_own(process):
    store = dist.TCPStore(LOCAL, process.port, timeout=60.0)
    own = dist.PrefixStore("p", store)
    own.set_timeout(0.3)
    assert (
        seconds_of(lambda: own.get("k"), dist.DistStoreError, "get: wait timeout after 300ms") < 2
    )
    stop(process)
    for call in (
        lambda: own.add("n", 1),
        lambda: own.check(["k"]),
        lambda: own.get("k"),
        lambda: own.clone(),
    ):
        assert seconds_of(call, dist.DistNetworkError, "in time|connect") < 2
    assert store.timeout == timedelta(seconds=60)


def test_a_limit_that_is_no_number_names_the_call():
    store = dist.HashStore()
    for name, call in (
        ("set_timeout", store.set_timeout),
        ("wait", lambda limit: store.wait(["a"], limit)),
        ("barrier", lambda limit: store.barrier("b", 1, limit)),
        ("TCPStore", lambda limit: dist.TCPStore("127.0.0.1", 1, timeout=limit)),
        ("FileStore", lambda limit: dist.FileStore("/dev/null", timeout=limit)),
    ):
        text = rf"^{name}\(\): timeout: expected a timedelta or seconds, got nan$"
        with pytest.raises(ValueError, match=text):
            call(float("nan"))


# --- monitored barriers ---


def barrier_without_server(dist, rank, size, meet, port):
    dist.init_process_group(
        "gloo",
        store=dist.TCPStore(LOCAL, port, timeout=60.0),
        rank=rank,
        world_size=size,
        timeout=timedelta(seconds=60),
    )
    dist.monitored_barrier()
    print("READY", flush=True)
    sys.stdin.readline()
    time.sleep(1)
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as caught:
        dist.monitored_barrier(timeout=timedelta(seconds=1))
    return [str(caught.value), time.monotonic() - began]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_barrier_without_its_store_ends_in_time(how, process, tmp_path):
    ranks = Ranks(barrier_without_server, 2, tmp_path, meets=False, port=process.port)
    for one in ranks.processes:
        assert one.stdout.readline() == "READY\n"
    process.send_signal(how)
    for text, seconds in ranks.wait():
        assert text.startswith(
            "monitored_barrier() number 2 of the group 'world': the store does not answer: TCPStore("
        ), text
        assert seconds < 2, text


# --- groups ---


CONTEXT = "the group 'world' of 3 ranks cannot be made: "


def late_by_steps(dist, rank, size, meet, step, limit):
    """Rank 1 says what the first steps want to know, late, and then no more."""
    began = time.monotonic()
    if rank == 1:
        store = dist.FileStore(os.environ["STORE"], -1)
        store.set_timeout(timedelta(seconds=20))
        time.sleep(0.8 * limit)
        for name in step:
            key = f"world/0/watched/group/world/{name}"
            store.set(f"{key}/1", store.get(f"{key}/0"))
        return None
    try:
        meet()
    except dist.DistError as error:
        return [type(error).__name__, str(error), time.monotonic() - began]
    return None


STEPS = {
    "choice": (None, ["choice"]),
    "shm host": ("shm", ["shm/watched/host"]),
    "gloo network": ("gloo", ["gloo/watched/network"]),
}


@pytest.mark.parametrize("step", STEPS)
def test_the_steps_of_making_a_group_share_its_timeout(step, tmp_path):
    backend, names = STEPS[step]
    ranks = Ranks(
        late_by_steps,
        3,
        tmp_path,
        backend=backend,
        timeout=2,
        meets=False,
        environment={"STORE": str(tmp_path / "store")},
        step=names,
        limit=2,
    )
    results = ranks.wait()
    for rank in (0, 2):
        kind, text, seconds = results[rank]
        assert kind == "DistBackendError", text
        assert "rank 1 " in text, text
        assert seconds < 3, text


def without_the_maker(dist, rank, size, meet):
    """Rank 0 says on which host it is, and makes no memory."""
    began = time.monotonic()
    if rank == 0:
        store = dist.FileStore(os.environ["STORE"], -1)
        store.set_timeout(timedelta(seconds=20))
        key = "world/0/watched/group/world/shm/watched/host"
        store.set(f"{key}/0", store.get(f"{key}/1"))
        return None
    try:
        meet()
    except dist.DistError as error:
        return [type(error).__name__, str(error), time.monotonic() - began]
    return None


def test_memory_that_nobody_makes_names_who_should(tmp_path):
    environment = {"STORE": str(tmp_path / "store")}
    ranks = Ranks(without_the_maker, 3, tmp_path, timeout=1, meets=False, environment=environment)
    for kind, text, seconds in ranks.wait()[1:]:
        assert kind == "DistBackendError", text
        # The third may have given up already.
        assert re.search(CONTEXT + r"(rank 0|ranks 0, [12]) did not come in time", text), text
        assert seconds < 2, text


def meets_at(dist, rank, size, meet, port):
    began = time.monotonic()
    try:
        dist.init_process_group(
            "gloo",
            store=dist.TCPStore(LOCAL, port, timeout=60.0),
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=1.5),
        )
    except dist.DistError as error:
        return [type(error).__name__, str(error), time.monotonic() - began]
    return None


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_store_that_goes_while_a_group_is_made(how, process, tmp_path):
    ranks = Ranks(meets_at, 2, tmp_path, meets=False, started=[0], port=process.port)
    store = dist.TCPStore(LOCAL, process.port)
    store.wait(["world/present"])
    process.send_signal(how)
    kind, text, seconds = ranks.wait()[0]
    assert kind == "DistBackendError", text
    assert "the group 'world' of 2 ranks cannot be made: the store does not answer: " in text, text
    assert seconds < 2.6, text


# --- names ---


def in_a_world_of_its_own(code, *arguments):
    """Runs code with a network, and files of /etc, of its own."""
    command = ["unshare", "-rmn", sys.executable, "-c", code, *arguments]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    if "unshare" in done.stderr:
        pytest.skip("namespaces are not allowed here")
    assert done.returncode == 0, done.stderr
    return done.stdout


ASKS_FOR_A_NAME = """
import socket, subprocess, sys, time
folder = sys.argv[1]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
silent.bind(("127.0.0.1", 53))
for name, text in (("resolv.conf", "nameserver 127.0.0.1\\n"), ("nsswitch.conf", "hosts: files dns\\n")):
    with open(f"{folder}/{name}", "w") as file:
        file.write(text)
    subprocess.run(["mount", "--bind", f"{folder}/{name}", f"/etc/{name}"], check=True)
import opweave.distributed as dist
began = time.monotonic()
try:
    dist.TCPStore("nobody.example", 4711, timeout=0.7)
except dist.DistNetworkError as error:
    print(time.monotonic() - began, error)
"""


def test_a_name_server_that_does_not_answer(tmp_path):
    out = in_a_world_of_its_own(ASKS_FOR_A_NAME, str(tmp_path))
    seconds, text = out.split(" ", 1)
    assert "the host 'nobody.example' is not found: what knows names did not answer" in text
    assert float(seconds) < 1.7


def test_numbers_are_no_names():
    """They are not looked up by a thread."""
    with socket.socket() as free:
        free.bind((LOCAL, 0))
        port = free.getsockname()[1]
    assert (
        seconds_of(
            lambda: dist.TCPStore(LOCAL, port, timeout=0.3),
            dist.DistNetworkError,
            "Connection refused",
        )
        < 1
    )
