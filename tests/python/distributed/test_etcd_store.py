"""EtcdStore with a cluster that is well: what is its own beside what all stores do (test_stores.py)."""

import base64
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import opweave.distributed as dist
import pytest
from support import etcd
from support.ranks import run


def store(prefix=None, **options):
    return dist.EtcdStore(
        etcd.shared().endpoints,
        prefix or etcd.new_prefix(),
        **{"timeout": 20.0, **options},
    )


def keys_of_etcd(prefix):
    def text(value):
        return base64.b64encode(value.encode()).decode()

    found = (
        etcd.shared()
        .members[0]
        .ask(
            "/v3/kv/range",
            {"key": text(prefix), "range_end": text(prefix + "~"), "keys_only": True},
        )
    )
    return [base64.b64decode(item["key"]).decode() for item in found.get("kvs", [])]


def test_what_it_is_called():
    made = store("/a/run/")
    endpoint = etcd.shared().endpoints[0]
    assert made.prefix == "/a/run"
    assert repr(made) == f"<EtcdStore(http://{endpoint}, '/a/run')>"
    # Endpoints may be text, and have a scheme.
    same = dist.EtcdStore(f"http://{endpoint}/,{endpoint}", "/a/run", 20)
    made.set("k", "v")
    assert same.get("k") == b"v"
    assert store("/a/ru").list_keys() == []


def test_large_values_of_any_bytes():
    made = store()
    value = bytes(range(256)) * 4096
    made.set("k", value)
    assert made.get("k") == value
    assert made.compare_set("k", value, b"\0") == b"\0"
    made.append("k", b"\0\xff")
    assert made.get("k") == b"\0\0\xff"
    made.queue_push("q", value)
    assert made.queue_pop("q") == value


def test_what_etcd_does_not_take_is_refused_by_name():
    made = store()
    for size in (2**21, 2**25):
        with pytest.raises(
            ValueError, match=r"EtcdStore\(http.*: set 'big': http.* says: .* etcd takes 1.5 MiB"
        ):
            made.set("big", bytes(size))
    with pytest.raises(ValueError, match=r"multi_set 'big': .*etcd takes 1.5 MiB"):
        made.multi_set(["a", "big"], ["", bytes(2**21)])
    with pytest.raises(ValueError, match=r"queue_push 'big': .*etcd takes 1.5 MiB"):
        made.queue_push("big", bytes(2**21))
    made.set("most", bytes(2**20))
    with pytest.raises(ValueError, match=r"append 'most': .*etcd takes 1.5 MiB"):
        made.append("most", bytes(2**20))
    made.set("k", "v")
    assert made.get("k") == b"v"


def test_more_than_one_answer_holds():
    made = store()
    keys = [f"k{i:02}" for i in range(20)]
    made.multi_set(keys, [bytes([i]) * 2**20 for i in range(20)])
    assert [value[:1] for value in made.multi_get(keys)] == [bytes([i]) for i in range(20)]


def test_many_keys():
    made = store()
    keys = [f"k{i}" for i in range(5000)]
    made.multi_set([*keys, "k1"], [*(str(i) for i in range(5000)), "last"])
    assert made.num_keys() == 5000
    assert sorted(made.list_keys()) == sorted(keys)
    assert made.check(keys)
    values = made.multi_get(keys)
    assert values[1] == b"last"
    assert values[4999] == b"4999"
    with pytest.raises(dist.DistStoreError, match=r"'no', 'never' \(5000 of 5002 are there\)$"):
        made.wait(["no", *keys, "never"], 2)


def test_queues_are_apart():
    """A queue's name may be the beginning of another's, or look like an entry of it."""
    made = store()
    names = ["q", "q/", "q/1", "", "/", "1/q"]
    for name in names:
        made.queue_push(name, name)
    assert [made.queue_len(name) for name in names] == [1] * len(names)
    assert [made.queue_pop(name) for name in names] == [name.encode() for name in names]
    made.queue_push("d", "1")
    made.set("d", "2")
    assert made.delete_key("d") is True
    assert made.queue_len("d") == 0
    made.queue_push("d", "1")
    assert made.delete_key("d") is True
    assert made.delete_key("d") is False


def test_each_value_of_a_queue_goes_to_one():
    made, taken = store(), []
    threads = [
        threading.Thread(
            target=lambda: taken.extend(made.queue_pop("q") for _ in range(25)), daemon=True
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for i in range(100):
        made.queue_push("q", str(i))
    for thread in threads:
        thread.join(30)
    assert sorted(map(int, taken)) == list(range(100))


def test_what_it_leaves_in_etcd():
    prefix = etcd.new_prefix()
    made = store(prefix)
    made.set("k", "v")
    made.queue_push("q", "v")
    assert any(key.startswith(f"{prefix}/w/") for key in keys_of_etcd(prefix))
    del made
    left = keys_of_etcd(prefix)
    assert left[1:] == [f"{prefix}/v/k"]
    assert left[0].startswith(f"{prefix}/q/1/q/")


def test_tallies_that_somebody_erased():
    """`etcdctl del --prefix` while a store is used: it goes on."""
    prefix = etcd.new_prefix()
    made = store(prefix)
    assert [made.add("n", 1) for _ in range(5)] == [1, 2, 3, 4, 5]
    first, last = (base64.b64encode(prefix.encode() + end).decode() for end in (b"/", b"0"))
    etcd.shared().members[0].ask("/v3/kv/deleterange", {"key": first, "range_end": last})
    assert [made.add("n", 1) for _ in range(3)] == [1, 2, 3]
    made.set("k", "v")
    assert made.get("k") == b"v"


@pytest.mark.parametrize(
    ("endpoints", "text"),
    [
        ([], "expects at least one endpoint"),
        ("", "expects endpoints such as 'node0:2379' .*, but got 'http://'"),
        ("node0", "but got 'http://node0'"),
        ("node0:http", "but got 'http://node0:http'"),
        (["a:1", "ftp://b:2"], "but got 'ftp://b:2'"),
        ("http://a:1/path", "but got 'http://a:1/path'"),
        ("u:p@a:1", "but got 'http://u:p@a:1'"),
        ("a:1\r\nX: y:2", "expects endpoints"),
    ],
)
def test_endpoints_are_checked(endpoints, text):
    with pytest.raises(ValueError, match=text):
        dist.EtcdStore(endpoints)


def test_a_wait_takes_no_time_of_the_processor():
    made = store()
    other = made.clone()
    before = time.process_time()
    threading.Timer(2, lambda: made.set("k", "v")).start()
    assert other.get("k") == b"v"
    assert time.process_time() - before < 0.2


INTERRUPTED = """
import sys
import opweave.distributed as dist
store = dist.EtcdStore(sys.argv[1], sys.argv[2])
print("waits", flush=True)
try:
    store.get("never")
except KeyboardInterrupt:
    store.set("k", "v")
    print(store.get("k"))
"""


def test_ctrl_c_ends_a_wait():
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, etcd.shared().endpoints[0], etcd.new_prefix()],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "waits\n"
    time.sleep(0.3)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[0] == "b'v'\n"
    assert time.monotonic() - begun < 1.5


def test_a_forked_process_has_connections_of_its_own():
    made = store()
    assert made.add("n", 1) == 1
    child = os.fork()
    if child == 0:
        right = [made.add("child", 1) for _ in range(20)] == list(range(1, 21))
        del made
        os._exit(0 if right else 1)
    assert [made.add("n", 1) for _ in range(20)] == list(range(2, 22))
    assert os.waitpid(child, 0)[1] == 0
    assert made.add("n", 1) == 22
    assert made.get("child") == b"20"


def test_nothing_is_left_of_stores_that_ended():
    def held():
        return [len(os.listdir(f"/proc/self/{what}")) for what in ("fd", "task")]

    def use():
        made = store()
        made.add("n", 1)
        with pytest.raises(dist.DistStoreError):
            made.wait(["never"], 0.01)
        with pytest.raises(dist.DistNetworkError):
            dist.EtcdStore("127.0.0.1:1", timeout=0.01)

    use()
    before = held()
    for _ in range(30):
        use()
    assert held() == before


def test_libcurl_is_asked_for_by_name(tmp_path):
    (tmp_path / "libcurl.so.4").write_text("none")
    code = "import opweave.distributed as dist; dist.EtcdStore('127.0.0.1:1')"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "DistStoreError: EtcdStore needs libcurl, which cannot be loaded: " in ended.stderr
    assert "package libcurl4 has it" in ended.stderr


def test_a_url():
    url = f"etcd://{etcd.shared().endpoints[0]}/ru%20n"
    made, rank, world_size = next(dist.rendezvous(url, 0, 2, timeout=5))
    assert (made.prefix, rank, world_size) == ("/ru n", 0, 2)
    assert made.timeout.total_seconds() == 5


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("etcd:///p?rank=0&world_size=1", "etcd:// rendezvous: endpoints missing"),
        ("etcd://a:1/?rank=0&world_size=1", "etcd:// rendezvous: prefix missing"),
        ("etcd://a:1/p?rank=0", "etcd:// rendezvous: world size parameter missing"),
        ("etcd://a:1/p?protocol=ftp", "the protocol is neither http nor https: 'ftp'"),
    ],
)
def test_what_a_url_lacks_is_named(url, text):
    with pytest.raises(ValueError, match=text):
        dist.rendezvous(url)


def sum_of_ranks(dist, rank, size, meet, url, carrier):
    import opweave as ow

    dist.init_process_group(
        carrier, init_method=url, rank=rank, world_size=size, timeout=timedelta(seconds=30)
    )
    x = ow.ones(4) * (rank + 1)
    dist.all_reduce(x)
    part = dist.new_group([0, 1])
    dist.barrier(part)
    return x.tolist()


@pytest.mark.parametrize("carrier", ["shm", "gloo"])
def test_groups_meet_in_it(tmp_path, carrier):
    url = f"etcd://{','.join(etcd.shared().endpoints)}{etcd.new_prefix()}"
    results = run(sum_of_ranks, 2, tmp_path, meets=False, url=url, carrier=carrier)
    assert results == [[3.0] * 4] * 2
