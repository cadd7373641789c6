"""EtcdStore when members die, are stopped, or are something else altogether."""

import contextlib
import itertools
import signal
import socket
import threading
import time
from datetime import timedelta

import opweave.distributed as dist
import pytest
from support import etcd
from support.ranks import Ranks


@pytest.fixture(name="cluster")
def three_members():
    made = etcd.Cluster(3)
    yield made
    made.end()


def in_threads(*functions):
    """The threads of functions, and the list that what they return is put into."""
    results = []
    threads = [
        threading.Thread(target=lambda f=function: results.append(f()), daemon=True)
        for function in functions
    ]
    for thread in threads:
        thread.start()
    return threads, results


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_the_leader_fails_while_all_wait(cluster, how):
    # Its endpoint is the first: whoever waits, waits there.
    leader = cluster.leader()
    others = [member.endpoint for member in cluster.members if member is not leader]
    store = dist.EtcdStore([leader.endpoint, *others], "/run", timeout=40)
    waits = [
        lambda: store.get("k"),
        lambda: store.wait(["k"]),
        lambda: store.queue_pop("q"),
        lambda: store.clone().barrier("b", 2),
    ]
    threads, results = in_threads(*waits)
    time.sleep(0.5)
    leader.end(how)
    time.sleep(0.2)
    begun = time.monotonic()
    store.set("k", "v")
    store.queue_push("q", "w")
    store.barrier("b", 2)
    for thread in threads:
        thread.join(30)
    assert sorted(map(str, results)) == sorted(["b'v'", "None", "b'w'", "None"])
    assert time.monotonic() - begun < 20


def test_nothing_is_counted_twice_or_lost(cluster):
    """The leader dies twice while four threads count and fill a queue."""
    store = dist.EtcdStore(cluster.endpoints, "/run", timeout=40)

    def count(number):
        for i in range(100):
            store.add("n", 1)
            store.queue_push("q", f"{number}/{i}")
            store.append("text", "x")

    threads, _ = in_threads(*(lambda n=n: count(n) for n in range(4)))
    time.sleep(0.3)
    leader = cluster.leader()
    leader.end()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert store.get("n") == b"400"
    assert store.get("text") == b"x" * 400
    assert store.queue_len("q") == 400
    values = [store.queue_pop("q").decode() for _ in range(400)]
    assert len(set(values)) == 400
    for number in range(4):
        own = [value for value in values if value.startswith(f"{number}/")]
        assert own == [f"{number}/{i}" for i in range(100)]


def meets_late(dist, rank, size, meet, url):
    import opweave as ow

    made = dist.init_process_group(
        "gloo", init_method=url, rank=rank, world_size=size, timeout=timedelta(seconds=40)
    )
    x = ow.ones(4) * (rank + 1)
    dist.all_reduce(x)
    return [made is None, *x.tolist()]


def test_ranks_meet_though_the_leader_dies_between(cluster, tmp_path):
    url = f"etcd://{','.join(cluster.endpoints)}/run"
    first = Ranks(meets_late, 2, tmp_path, started=[0], meets=False, url=url)
    store = dist.EtcdStore(cluster.endpoints, "/run", timeout=40)
    while store.num_keys() == 0:
        time.sleep(0.05)
    cluster.leader().end()
    second = Ranks(meets_late, 2, tmp_path, started=[1], meets=False, url=url)
    assert first.wait() + second.wait() == [[True, 3.0, 3.0, 3.0, 3.0]] * 2


def test_too_few_members_are_left(cluster):
    store = dist.EtcdStore(cluster.endpoints, "/run", timeout=2)
    store.set("k", "v")
    for member in cluster.members[1:]:
        member.end()
    one, two, three = cluster.endpoints
    begun = time.monotonic()
    with pytest.raises(dist.DistNetworkError) as raised:
        store.set("k", "w")
    assert time.monotonic() - begun < 3.5
    text = str(raised.value)
    assert text.startswith("EtcdStore(http://"), text
    assert f"'/run'): set 'k': not done within 2000ms: http://{one}: " in text
    assert f"http://{two}: Connection refused" in text
    assert f"http://{three}: Connection refused" in text
    for call in (lambda: store.get("k"), lambda: store.wait(["z"], 1.0), lambda: store.num_keys()):
        with pytest.raises(dist.DistNetworkError, match="not done within"):
            call()


def test_nobody_is_there():
    (port,) = etcd.free_ports(1)
    begun = time.monotonic()
    with pytest.raises(
        dist.DistNetworkError,
        match=rf"EtcdStore\(http://127.0.0.1:{port}, '/r'\): connect: not done within 700ms: "
        rf"http://127.0.0.1:{port}: Connection refused$",
    ):
        dist.EtcdStore(f"127.0.0.1:{port}", "/r", 0.7)
    assert time.monotonic() - begun < 1.7


def test_a_member_that_comes_late_is_found():
    cluster = etcd.Cluster(1)
    (member,) = cluster.members
    store = dist.EtcdStore(cluster.endpoints, "/run", timeout=30)
    assert store.add("n", 1) == 1
    member.end()
    everyone = f"{member.name}={member.peer}"
    threading.Timer(1.0, lambda: member.start(everyone, cluster.folder, {})).start()
    assert store.add("n", 1) == 2
    assert store.get("n") == b"2"
    cluster.end()


def test_members_of_two_clusters_are_told_apart():
    """Before anything is written where it does not belong."""
    one, two = etcd.shared(), etcd.Cluster(1)
    prefix = etcd.new_prefix()
    store = dist.EtcdStore([one.endpoints[0], two.endpoints[0]], prefix, timeout=1.5)
    store.set("k", "v")
    member = one.members[0]
    member.end(signal.SIGSTOP)
    try:
        with pytest.raises(dist.DistNetworkError, match="is a member of another cluster"):
            store.set("k", "w")
    finally:
        member.end(signal.SIGCONT)
    assert dist.EtcdStore(two.endpoints, prefix).list_keys() == []
    two.end()


class Server:
    """Something that listens, and does not speak etcd: `speak(connection)` is all it does."""

    def __init__(self, speak):
        self.listens = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"127.0.0.1:{self.listens.getsockname()[1]}"
        self.speak = speak
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listens.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError):
            self.speak(connection)


def http(body, length=None, status="200 OK", more=b""):
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body) if length is None else length}\r\n"
    return head.encode() + more + b"\r\n" + body


def says(*parts, pause=0.0):
    def speak(connection):
        connection.recv(65536)
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)

    return speak


def silence(connection):
    while connection.recv(65536):
        pass


HEADER = b'{"header":{"cluster_id":"1","revision":"1"}'
NOT_ETCD = "what answers there is not etcd: "

HOSTILE = {
    "garbage": (says(bytes(range(256)) * 40), NOT_ETCD),
    "a greeting": (says(b"SSH-2.0-OpenSSH_9.2\r\n"), NOT_ETCD),
    "a page": (says(http(b"<html>")), NOT_ETCD + "its answer is no JSON object"),
    "not found": (says(http(b"no", status="404 Not Found")), "it answers with HTTP status 404"),
    "a redirection": (
        says(http(b"", status="302 Found", more=b"Location: http://127.0.0.1:1/\r\n")),
        "it answers with HTTP status 302",
    ),
    "a proxy": (
        says(http(b"<html>", status="503 Service Unavailable")),
        "not done within 1000ms: http://127.*: it answers with HTTP status 503$",
    ),
    "a list": (says(http(b"[1, 2]")), "its answer is no JSON object"),
    "no header": (says(http(b"{}")), "its answer has no header"),
    "no numbers": (
        says(http(b'{"header":{"revision":"x"}}')),
        "'revision' in its answer is no number",
    ),
    "negative numbers": (
        says(http(b'{"header":{"revision":"-1"}}')),
        "'revision' in its answer is no number",
    ),
    "other types": (
        says(http(b'{"header":{"revision":1}}')),
        "'revision' in its answer is not what etcd's is",
    ),
    "no base64": (
        says(http(HEADER + b',"responses":[{"response_range":{"kvs":[{"key":"*"}]}}]}')),
        "a text in its answer is no base64",
    ),
    "half a text": (says(http(HEADER + b',"resp')), "its answer is no JSON object"),
    "no parts": (says(http(HEADER + b"}")), "has not as many parts"),
    "deep": (says(http(b"[" * 10**7)), "its answer is no JSON object"),
    "bytes that are no text": (says(http(b'{"\xff":1}')), "its answer is no JSON object"),
    "an error without an end": (
        says(http(b'{"code":99,"message":"x"}', status="500 Oh")),
        "it answers with HTTP status 500",
    ),
    "half an answer": (says(http(HEADER, 1000)), "transfer closed with 957 bytes remaining"),
    "nothing": (says(), "Empty reply from server"),
    "silence": (silence, "it did not answer in time"),
    "slow": (says(*itertools.repeat(b"x", 100), pause=0.1), "(did not answer|not etcd)"),
    "slow answer": (
        says(http(b"", 10**6), *itertools.repeat(b" ", 100), pause=0.1),
        "it did not answer in time",
    ),
    "endless head": (
        says(b"HTTP/1.1 200 OK\r\n", *itertools.repeat(b"a: " + b"b" * 1000 + b"\r\n", 10**6)),
        "127.0.0.1",
    ),
    "endless answer": (
        says(http(b"", 10**12), *itertools.repeat(b" " * 65536, 10**5)),
        "its answer has no end",
    ),
    "endless parts": (
        says(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            *itertools.repeat(b"10000\r\n" + b"{" * 65536 + b"\r\n", 10**5),
        ),
        "its answer has no end",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_something_else_answers(what):
    speak, text = HOSTILE[what]
    server = Server(speak)
    begun = time.monotonic()
    with pytest.raises(dist.DistError, match=text) as raised:
        dist.EtcdStore(server.endpoint, "/run", 1.0)
    assert time.monotonic() - begun < 2.0
    assert str(raised.value).startswith(f"EtcdStore(http://{server.endpoint}, '/run'): connect: ")
    server.listens.close()


@pytest.mark.parametrize("what", ["garbage", "page", "silence", "endless answer", "half an answer"])
def test_the_others_are_asked_where_one_is_something_else(what):
    server = Server(HOSTILE[what if what in HOSTILE else "a page"][0])
    endpoints = [server.endpoint, *etcd.shared().endpoints]
    store = dist.EtcdStore(endpoints, etcd.new_prefix(), 10)
    store.set("k", "v")
    assert store.get("k") == b"v"
    server.listens.close()


def watched(*lines, pause=0.0):
    """A member whose transactions find nothing, and whose watches are these lines."""
    nothing = b"{}"
    answer = HEADER + b',"succeeded":true,"responses":[{"response_range":' + nothing + b"}"

    def speak(connection):
        while request := connection.recv(65536):
            if b"/v3/watch" in request:
                connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for line in lines:
                    connection.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                    time.sleep(pause)
                return
            connection.sendall(http(answer + b"]}"))

    return Server(speak)


def never_agrees(connection):
    """A member that has everything, and finds it changed whenever something is to be written."""
    versions = itertools.count(5, 4)
    while request := connection.recv(65536):
        reads = b'"compare":[]' in request
        half = b'"success":' if reads else b'"failure":'
        item = b'{"key":"YQ==","mod_revision":"1","version":"%d"}' % next(versions)
        parts = [b'{"response_range":{"kvs":[' + item + b"]}}"]
        parts *= request.split(half)[1].count(b"request_range")
        head = HEADER + (b',"succeeded":true' if reads else b"") + b',"responses":['
        connection.sendall(http(head + b",".join(parts) + b"]}"))


WRITES = {
    "set": ("k", "v"),
    "add": ("k", 1),
    "append": ("k", "v"),
    "compare_set": ("k", "", "v"),
    "delete_key": ("k",),
    "queue_push": ("k", "v"),
    "queue_pop": ("k",),
}


@pytest.mark.parametrize("method", WRITES)
def test_a_write_that_never_succeeds_ends_in_time(method):
    server = Server(never_agrees)
    store = dist.EtcdStore(server.endpoint, "/run", 1.0)
    begun = time.monotonic()
    # Which of the two it is depends on whether a request was on its way when the time was up.
    text = (
        rf"{method} 'k': not done within 1000ms"
        r"(, though all that was asked was answered|: http://.*: it did not answer in time)$"
    )
    with pytest.raises(dist.DistNetworkError, match=text):
        getattr(store, method)(*WRITES[method])
    assert time.monotonic() - begun < 2.2
    server.listens.close()


WATCHES = {
    "ends": watched(),
    "garbage": watched(b"garbage\n"),
    "an error": watched(b'{"error":{"message":"etcdserver: no leader"}}\n'),
    "cancelled": watched(b'{"result":{"canceled":true}}\n'),
    "endless line": watched(*itertools.repeat(b"x" * 60000, 10**5)),
    "endless lines": watched(*itertools.repeat(b'{"result":{}}\n' * 1000, 10**6)),
    "false events": watched(b'{"result":{"events":[]}}\n'),
    "slow": watched(*itertools.repeat(b" ", 100), pause=0.1),
}


@pytest.mark.parametrize("what", WATCHES)
def test_watches_of_something_else_end_in_time(what):
    store = dist.EtcdStore(WATCHES[what].endpoint, "/run", 1.0)
    begun = time.monotonic()
    with pytest.raises(dist.DistError, match=r"queue_pop: wait timeout after 1000ms, keys: 'k'$"):
        store.queue_pop("k")
    assert time.monotonic() - begun < 2.0
