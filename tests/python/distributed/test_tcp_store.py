"""TCPStore: the server, its clients, and what each of them is told when the other is not as it should be."""

import datetime
import inspect
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import opweave.distributed as dist
import pytest
from support.stores import LOCAL, client_of, master


def test_the_defaults_are_pytorchs():
    server = dist.TCPStore(LOCAL, 0, is_master=True)
    assert server.timeout == datetime.timedelta(seconds=300)
    assert server.host == LOCAL
    assert server.port > 0
    assert server.libuvBackend is False
    assert repr(server) == f"<TCPStore({LOCAL}:{server.port})>"
    assert server.num_keys() == 0
    # One key counts the workers, where there is a world.
    assert dist.TCPStore(LOCAL, 0, 1, True).num_keys() == 1
    assert "use_libuv: bool = True" in inspect.getdoc(dist.TCPStore.__init__)


def test_clients_see_one_another():
    server = master()
    clients = [client_of(server) for _ in range(3)]
    clients[0].set("k", "v")
    assert [c.get("k") for c in clients] == [b"v"] * 3
    assert [c.add("n", 2) for c in clients] == [2, 4, 6]
    assert server.get("n") == b"6"


def test_the_master_waits_for_the_world():
    with socket.socket() as free:
        free.bind((LOCAL, 0))
        port = free.getsockname()[1]
    made = []
    threads = [
        threading.Thread(
            target=lambda first=first: made.append(dist.TCPStore(LOCAL, port, 3, first))
        )
        for first in (True, False)
    ]
    for thread in threads:
        thread.start()
    # Clients do not wait for one another.
    threads[1].join(10)
    assert len(made) == 1
    assert threads[0].is_alive()
    last = dist.TCPStore(LOCAL, port, 3)
    threads[0].join(10)
    assert len(made) == 2
    assert last.num_keys() == 1


def test_a_world_that_does_not_come_is_counted():
    begin = time.monotonic()
    with pytest.raises(
        dist.DistStoreError,
        match=r"^TCPStore\(127.0.0.1:\d+\): timed out after 200ms waiting for clients. 1/2 clients joined.$",
    ):
        dist.TCPStore(LOCAL, 0, 2, True, timeout=0.2)
    assert time.monotonic() - begin < 1.2
    assert dist.TCPStore(LOCAL, 0, 2, True, timeout=0.2, wait_for_workers=False).num_keys() == 0


def test_a_port_in_use_is_named():
    server = master()
    with pytest.raises(
        dist.DistNetworkError,
        match=rf"^TCPStore\(127.0.0.1:{server.port}\): the server socket has failed to listen: Address",
    ):
        dist.TCPStore(LOCAL, server.port, is_master=True)


def test_a_host_that_is_another_one_cannot_be_served():
    with pytest.raises(
        dist.DistNetworkError, match=r"TCPStore\(192.0.2.1:0\).*the host is not this one"
    ):
        dist.TCPStore("192.0.2.1", 0, is_master=True)


def test_it_listens_on_the_address_given_and_on_nothing_else():
    server = master()
    assert client_of(server).num_keys() == 0
    with (
        pytest.raises(ConnectionRefusedError),
        socket.create_connection(("127.0.0.2", server.port)),
    ):
        pass


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        (LOCAL, "Connection refused"),
        ("no.such.host.invalid", "the host 'no.such.host.invalid' is not found"),
    ],
)
def test_a_server_that_is_not_there_is_tried_until_the_timeout(host, reason):
    with socket.socket() as free:
        free.bind((LOCAL, 0))
        port = free.getsockname()[1]
    begin = time.monotonic()
    with pytest.raises(dist.DistNetworkError) as raised:
        dist.TCPStore(host, port, timeout=0.3)
    text = str(raised.value)
    assert text.startswith(f"TCPStore({host}:{port}): the client socket has timed out after 300ms")
    assert reason in text
    if host == LOCAL:
        assert time.monotonic() - begin < 1.3
        assert " attempts: " in text


def test_a_server_that_begins_late_is_found():
    with socket.socket() as free:
        free.bind((LOCAL, 0))
        port = free.getsockname()[1]
    made = []
    thread = threading.Thread(target=lambda: made.append(dist.TCPStore(LOCAL, port, timeout=20.0)))
    thread.start()
    time.sleep(0.2)
    server = dist.TCPStore(LOCAL, port, is_master=True)
    thread.join(10)
    made[0].set("k", "v")
    assert server.get("k") == b"v"


def test_arguments_that_cannot_be():
    with pytest.raises(ValueError, match="TCPStore world size cannot be 0"):
        dist.TCPStore(LOCAL, 0, 0, True)
    with pytest.raises(ValueError, match="expects the port of its server, but got 0"):
        dist.TCPStore(LOCAL, 0)
    for port in (-1, 70000, 2**40):
        with pytest.raises(ValueError, match=rf"port has to be .* 0 to 65535, but is {port}"):
            dist.TCPStore(LOCAL, port)
    secret = (
        r"TCPStore\(\): expected the arguments \(host_name: str.*but got \(str, 1.5, secret=str\)"
    )
    with pytest.raises(TypeError, match=secret):
        dist.TCPStore(LOCAL, 1.5, secret="hidden")
    with pytest.raises(dist.DistNetworkError, match="file descriptor 999: Bad file descriptor"):
        dist.TCPStore(LOCAL, 0, is_master=True, master_listen_fd=999)


def test_a_socket_that_listens_is_taken_over():
    listener = socket.create_server((LOCAL, 0))
    port = listener.getsockname()[1]
    with pytest.raises(ValueError, match=rf"listens on port {port}, but port 1 was given"):
        dist.TCPStore(LOCAL, 1, is_master=True, master_listen_fd=listener.fileno())
    server = dist.TCPStore(LOCAL, port, is_master=True, master_listen_fd=listener.detach())
    assert server.port == port
    client_of(server).set("k", "v")
    assert server.get("k") == b"v"


def test_masters_with_multi_tenant_share_a_server():
    first = master(multi_tenant=True)
    second = dist.TCPStore(LOCAL, first.port, is_master=True, multi_tenant=True)
    second.set("k", "v")
    assert first.get("k") == b"v"
    with pytest.raises(ValueError, match="asks for another secret"):
        dist.TCPStore(LOCAL, first.port, is_master=True, multi_tenant=True, secret="x")
    port = first.port
    del first
    assert client_of(second).get("k") == b"v"
    del second
    with pytest.raises(dist.DistNetworkError):
        dist.TCPStore(LOCAL, port, timeout=0.1)


# --- the end of the server ---------------------------------------------------------------------

SERVES = """
import sys, time
import opweave.distributed as dist
server = dist.TCPStore("127.0.0.1", 0, is_master=True)
print(server.port, flush=True)
time.sleep(100)
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


CALLS = {
    "get": lambda s: s.get("k"),
    "set": lambda s: s.set("k", "v"),
    "add": lambda s: s.add("k", 1),
    "wait": lambda s: s.wait(["k"]),
    "clone": lambda s: s.clone(),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_dead_server_is_noticed_at_once(process, call):
    store = dist.TCPStore(LOCAL, process.port, timeout=0.5 if call == "clone" else 60.0)
    process.kill()
    process.wait()
    for _ in range(3):
        begin = time.monotonic()
        with pytest.raises(
            dist.DistNetworkError, match=rf"^TCPStore\(127.0.0.1:{process.port}\): "
        ):
            CALLS[call](store)
        assert time.monotonic() - begin < 1.5


def test_whoever_waits_learns_that_the_server_died(process):
    store = dist.TCPStore(LOCAL, process.port, timeout=60.0)
    timer = threading.Timer(0.2, process.kill)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(
        dist.DistNetworkError, match="get 'k': the server closed the connection; it has ended"
    ):
        store.get("k")
    assert time.monotonic() - begin < 1.5
    timer.join()


def test_a_stopped_server_does_not_hang_anybody(process):
    store = dist.TCPStore(LOCAL, process.port, timeout=0.3)
    stop(process)
    for call in ("get", "add", "wait"):
        begin = time.monotonic()
        with pytest.raises(dist.DistNetworkError, match="the server did not answer in time"):
            CALLS[call](store)
        assert time.monotonic() - begin < 1.3
    process.send_signal(signal.SIGCONT)
    store.set_timeout(10.0)
    store.set("k", "v")
    assert store.get("k") == b"v"


def test_a_stopped_server_does_not_keep_ctrl_c(process):
    store = dist.TCPStore(LOCAL, process.port, timeout=60.0)
    stop(process)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        store.add("n", 1)
    assert time.monotonic() - begin < 1.5
    timer.join()
    process.send_signal(signal.SIGCONT)
    assert store.add("m", 1) == 1


def test_ctrl_c_ends_a_wait():
    store = master()
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        store.wait(["never"])
    timer.join()
    store.set("never", "now")
    store.wait(["never"])


# --- processes ---


def test_a_forked_process_has_connections_of_its_own():
    server = master()
    client = client_of(server)
    client.set("k", "v")
    child = os.fork()
    if child == 0:
        status = 0 if client.get("k") == b"v" and client.add("n", 1) == 1 else 1
        del client, server
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert client.add("n", 1) == 2


FORKS = """
import os, sys, time
import opweave.distributed as dist
server = dist.TCPStore("127.0.0.1", 0, is_master=True)
if os.fork() == 0:
    time.sleep(100)
print(server.port, flush=True)
sys.stdout.close()
time.sleep(100)
"""


def test_a_forked_process_does_not_hide_the_end_of_the_server():
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        store = dist.TCPStore(LOCAL, int(process.stdout.readline()), timeout=60.0)
        process.kill()
        begin = time.monotonic()
        with pytest.raises(dist.DistNetworkError):
            store.get("k")
        assert time.monotonic() - begin < 1.5
        os.killpg(process.pid, signal.SIGKILL)


def test_an_idle_server_and_a_waiting_client_use_no_time():
    server = master()
    other = client_of(server)
    thread = threading.Thread(target=lambda: other.wait(["k"]))
    thread.start()
    time.sleep(0.1)
    before = time.process_time()
    time.sleep(1)
    assert time.process_time() - before < 0.02
    server.set("k", "v")
    thread.join(10)
    assert not thread.is_alive()


def test_values_that_are_large():
    server = master()
    client = client_of(server, timeout=60.0)
    value = os.urandom(2**25)
    client.set("k", value)
    assert server.get("k") == value
    client.multi_set([f"k{i}" for i in range(5)], [value] * 5)
    assert client.multi_get(["k3", "k4"]) == [value] * 2
    with pytest.raises(ValueError, match=r"a message 'set' of 30.* bytes; .* at most 268435456"):
        client.multi_set([f"j{i}" for i in range(9)], [value] * 9)
    client.multi_set(["k5", "k6", "k7", "k8"], [value] * 4)
    with pytest.raises(ValueError, match=r"a message 'done' of 30.* bytes; .* at most 268435456"):
        client.multi_get([f"k{i}" for i in range(9)])
    assert client.get("k") == value
