"""Every method of every store, from one body: what PyTorch's stores do, and what they are told apart by."""

import ast
import datetime
import threading
from pathlib import Path

import opweave.distributed as dist
import pytest
from support import etcd

KINDS = (
    "hash",
    "file",
    "tcp",
    "tcp with a secret",
    "etcd",
    "prefix",
    "prefix of prefix",
    "prefix of tcp",
    "prefix of etcd",
)


def make(kind, folder):
    """A store of one kind."""
    if kind == "hash":
        return dist.HashStore()
    if kind == "file":
        return dist.FileStore(str(folder / "store"), 1)
    if "tcp" in kind:
        secret = "abracadabra" if "secret" in kind else None
        tcp = dist.TCPStore("127.0.0.1", 0, 1, True, secret=secret)
        return dist.PrefixStore("p", tcp) if "prefix" in kind else tcp
    if "etcd" in kind:
        own = dist.EtcdStore(etcd.shared().endpoints, etcd.new_prefix())
        return dist.PrefixStore("p", own) if "prefix" in kind else own
    if kind == "prefix":
        return dist.PrefixStore("p", dist.HashStore())
    return dist.PrefixStore("p", dist.PrefixStore("q", dist.FileStore(str(folder / "store"), 1)))


@pytest.fixture(params=KINDS, name="store")
def store_of_each_kind(request, tmp_path):
    made = make(request.param, tmp_path)
    made.set_timeout(datetime.timedelta(seconds=30))
    return made


def impatient(store):
    """The same store for waits that will time out."""
    other = store.clone()
    other.set_timeout(datetime.timedelta(milliseconds=50))
    return other


def test_values_are_bytes(store):
    store.set("a", "1")
    store.set("b", b"\xff\x00")
    store.set("u", "é")
    store.set("e", "")
    assert [store.get(k) for k in "abue"] == [b"1", b"\xff\x00", "é".encode(), b""]
    store.set("a", "2")
    assert store.get("a") == b"2"


@pytest.mark.parametrize("key", ["", "a\0b", "é", "/", "x" * 65000])
def test_any_text_is_a_key(store, key):
    store.set(key, "v")
    assert store.get(key) == b"v"
    assert store.check([key])
    assert store.list_keys() == [key]
    assert not store.check([key + "_"])


@pytest.mark.parametrize("wrong", [3, None, 1.5, ["a"]])
def test_values_that_are_no_bytes_are_refused(store, wrong):
    with pytest.raises(
        TypeError, match=r"set\(\): expected the arguments \(key: str, value: str\)"
    ):
        store.set("a", wrong)


def test_add(store):
    assert store.add("n", 3) == 3
    assert store.add("n", -5) == -2
    assert store.get("n") == b"-2"
    store.set("m", "12")
    assert store.add("m", 1) == 13
    store.set("empty", "")
    assert store.add("empty", 4) == 4
    assert store.add("most", 2**63 - 1) == 2**63 - 1


def test_add_refuses_what_is_no_number(store):
    store.set("text", "12hello")
    with pytest.raises(
        ValueError, match=r"add: the value of key '.*text' is not a whole number.*12hello"
    ):
        store.add("text", 1)
    assert store.get("text") == b"12hello"
    store.set("huge", str(2**70))
    with pytest.raises(ValueError, match=r"add: the value of key '.*huge'"):
        store.add("huge", 1)
    store.set("most", str(2**63 - 1))
    with pytest.raises(ValueError, match=r"9223372036854775807 \+ 1 for key '.*most'"):
        store.add("most", 1)
    for wrong in (2**63, 1.5):
        with pytest.raises(TypeError, match=rf"add\(\): .*amount: int\), but got \(str, {wrong}\)"):
            store.add("n", wrong)


def test_compare_set(store):
    assert store.compare_set("c", "", "one") == b"one"
    assert store.compare_set("c", "one", "two") == b"two"
    assert store.compare_set("c", "one", "three") == b"two"
    assert store.compare_set("c", "", "three") == b"two"
    assert store.get("c") == b"two"
    # A key that is not there has no value that could be the expected one.
    assert store.compare_set("missing", "x", "new") == b"x"
    assert not store.check(["missing"])
    store.set("empty", "")
    assert store.compare_set("empty", "", "now") == b"now"


def test_append(store):
    store.append("a", "x")
    store.append("a", "yz")
    assert store.get("a") == b"xyz"


def test_check_and_wait(store):
    assert store.check([])
    assert not store.check(["a"])
    store.set("a", "1")
    assert store.check(["a"])
    assert not store.check(["a", "b"])
    store.wait([])
    store.wait(["a"])
    store.wait(["a"], datetime.timedelta(seconds=1))
    store.wait(["a"], 0.5)
    with pytest.raises(TypeError, match=r"check\(\): expected .*but got \(str\)"):
        store.check("a")


def test_multi(store):
    store.multi_set(["a", "b"], ["1", b"\x002"])
    assert store.multi_get(["b", "a"]) == [b"\x002", b"1"]
    assert store.multi_get([]) == []
    store.multi_set([], [])
    with pytest.raises(ValueError, match="as many values as keys, but got 2 keys and 1 values"):
        store.multi_set(["a", "b"], ["3"])
    assert store.get("a") == b"1"


def test_delete_key(store):
    store.set("a", "1")
    assert store.delete_key("a") is True
    assert store.delete_key("a") is False
    assert not store.check(["a"])
    store.set("a", "2")
    assert store.get("a") == b"2"


def test_keys_are_counted_and_listed(store):
    before = store.num_keys()
    assert store.list_keys() == []
    store.multi_set(["a", "b"], ["1", "2"])
    assert store.num_keys() == before + 2
    assert sorted(store.list_keys()) == ["a", "b"]


def test_queues(store):
    assert store.queue_len("q") == 0
    store.queue_push("q", "1")
    store.queue_push("q", b"\xff")
    assert store.queue_len("q") == 2
    # A queue is found, and is no key.
    assert store.check(["q"])
    store.wait(["q"])
    assert store.list_keys() == []
    assert store.queue_pop("q") == b"1"
    assert store.queue_pop("q", block=False) == b"\xff"
    assert not store.check(["q"])
    with pytest.raises(dist.QueueEmptyError, match=r"queue_pop: queue is empty: '.*q'"):
        store.queue_pop("q", False)


TIMED_OUT = {
    "get": (lambda s: s.get("zz"), r"get: wait timeout after 50ms, keys: '(\w/)*zz'$"),
    "wait": (lambda s: s.wait(["zz"]), r"wait: wait timeout after 50ms, keys: '(\w/)*zz'$"),
    "wait for": (
        lambda s: s.wait(["zz", "yy", "a"], datetime.timedelta(milliseconds=20)),
        r"wait: wait timeout after 20ms, keys: '(\w/)*zz', '(\w/)*yy' \(1 of 3 are there\)$",
    ),
    "at once": (
        lambda s: s.wait(["zz"], datetime.timedelta(milliseconds=-5)),
        r"wait: wait timeout after -5ms, keys: '(\w/)*zz'$",
    ),
    "many": (
        lambda s: s.wait([f"k{i}" for i in range(12)], 0.02),
        r"wait: wait timeout after 20ms, keys: '(\w/)*k0', .*'(\w/)*k7' and 4 more \(0 of 12 are there\)$",
    ),
    "multi_get": (
        lambda s: s.multi_get(["a", "zz"]),
        r"multi_get: wait timeout after 50ms, keys: '(\w/)*zz' \(1 of 2 are there\)$",
    ),
    "queue_pop": (
        lambda s: s.queue_pop("zz"),
        r"queue_pop: wait timeout after 50ms, keys: '(\w/)*zz'$",
    ),
    "barrier": (
        lambda s: s.barrier("zz", 3),
        r"barrier 'zz': wait timeout after 50ms, 1 of 3 members arrived$",
    ),
}


@pytest.mark.parametrize("call", TIMED_OUT)
def test_waits_end_and_say_what_for(store, call):
    store.set("a", "1")
    function, text = TIMED_OUT[call]
    with pytest.raises(dist.DistStoreError, match=text) as raised:
        function(impatient(store))
    assert not isinstance(raised.value, dist.QueueEmptyError)
    assert repr(store)[1:5] in str(raised.value) or "Prefix" in repr(store)


WAKING = {
    "set": (lambda s: s.set("k", "v"), lambda s: s.get("k"), b"v"),
    "add": (lambda s: s.add("k", 7), lambda s: s.get("k"), b"7"),
    "append": (lambda s: s.append("k", "v"), lambda s: s.get("k"), b"v"),
    "compare_set": (lambda s: s.compare_set("k", "", "v"), lambda s: s.get("k"), b"v"),
    "multi_set": (
        lambda s: s.multi_set(["j", "k"], ["1", "2"]),
        lambda s: s.multi_get(["k", "j"]),
        [b"2", b"1"],
    ),
    "queue_push": (lambda s: s.queue_push("k", "v"), lambda s: s.queue_pop("k"), b"v"),
    "wait for a queue": (lambda s: s.queue_push("k", "v"), lambda s: s.wait(["k"]), None),
    "wait": (lambda s: s.set("k", "v"), lambda s: s.wait(["k"]), None),
    "barrier": (lambda s: s.barrier("k", 2), lambda s: s.barrier("k", 2), None),
}


@pytest.mark.parametrize("how", WAKING)
def test_waits_see_what_others_do(store, how):
    change, wait, expected = WAKING[how]
    found = []
    other = store.clone()
    thread = threading.Thread(target=lambda: found.append(wait(other)))
    thread.start()
    # Both orders are right: before the wait begins, and after.
    thread.join(0.05)
    assert found == []
    change(store)
    thread.join(10)
    assert found == [expected]


def test_one_object_serves_several_threads(store):
    """One waits; the others are not held up, and counters do not lose a step."""
    waits = threading.Thread(target=store.wait, args=(["end"],))
    waits.start()
    counts = [
        threading.Thread(target=lambda: [store.add("n", 1) for _ in range(50)]) for _ in range(4)
    ]
    for thread in counts:
        thread.start()
    for thread in counts:
        thread.join(20)
    assert store.get("n") == b"200"
    assert waits.is_alive()
    store.set("end", "")
    waits.join(10)
    assert not waits.is_alive()


def test_a_barrier_can_be_used_again(store):
    store.barrier("one", 1)
    store.barrier("one", 1)
    order = []

    def member(number, own):
        for turn in range(3):
            order.append((turn, number))
            own.barrier("b", 3)

    threads = [threading.Thread(target=member, args=(i, store.clone())) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert [turn for turn, _ in order] == [0] * 3 + [1] * 3 + [2] * 3
    with pytest.raises(ValueError, match="world size of at least 1, but got 0"):
        store.barrier("b", 0)


def test_timeouts(store):
    store.set_timeout(datetime.timedelta(milliseconds=1500))
    assert store.timeout == datetime.timedelta(milliseconds=1500)
    store.set_timeout(2.5)
    assert store.timeout == datetime.timedelta(milliseconds=2500)
    assert store.clone().timeout == store.timeout
    with pytest.raises(AttributeError):
        store.timeout = 3
    with pytest.raises(TypeError, match=r"set_timeout\(\): expected .*but got \(str\)"):
        store.set_timeout("soon")
    for longest in (datetime.timedelta.max, 1e300, 2**70, float("inf")):
        store.set_timeout(longest)
        assert store.timeout == datetime.timedelta(days=36500)
    store.set("a", "1")
    store.wait(["a"], datetime.timedelta.max)


def test_methods_need_an_object():
    unmade = dist.HashStore.__new__(dist.HashStore)
    for call in (
        lambda: dist.Store.has_extended_api(None),
        lambda: dist.HashStore.delete_key(3, "k"),
        dist.Store.num_keys,
        unmade.has_extended_api,
        lambda: unmade.timeout,
        lambda: dist.ProcessGroup.rank(None),
        lambda: dist.Work.is_completed(None),
    ):
        with pytest.raises(TypeError, match=r"expected an object of .*made by its constructor"):
            call()


def test_results_of_a_store_in_python_are_checked():
    class Wrong(dist.Store):
        def get(self, key):
            return 3

    with pytest.raises(TypeError, match=r"Wrong.get\(\) has to return str, but returned int"):
        dist.PrefixStore("a", Wrong()).get("k")


def _answer(function, arguments, options):
    try:
        return str(function(*arguments, **options))
    except Exception as error:
        return str(error)


def test_no_function_tells_of_signatures_in_cpp():
    """Whatever the extension has, whatever it is called with."""
    from opweave import _distributed

    classes = [c for c in vars(_distributed).values() if isinstance(c, type)]
    functions = [getattr(c, name) for c in classes for name in vars(c)]
    functions += [*classes, *(f for f in vars(_distributed).values() if callable(f))]
    store = dist.HashStore()
    for function in filter(callable, functions):
        for arguments in ((), (None,), (store,), (store, object()), (object(),) * 9):
            for options in ({}, {"nonsense": 3}):
                text = _answer(function, arguments, options)
                assert "argument types" not in text, function


def test_a_timeout_is_never_shortened_to_nothing(store):
    store.set_timeout(datetime.timedelta(microseconds=1))
    assert store.timeout == datetime.timedelta(milliseconds=1)


def test_a_timeout_of_zero_is_none(store):
    store.set_timeout(datetime.timedelta(0))
    done = threading.Event()
    thread = threading.Thread(target=lambda: (store.get("k"), done.set()))
    thread.start()
    assert not done.wait(0.1)
    store.set("k", "")
    assert done.wait(10)
    thread.join()


def test_clones_share_keys(store):
    other = store.clone()
    assert type(other) is type(store)
    other.set("a", "1")
    assert store.get("a") == b"1"
    del store
    assert other.get("a") == b"1"


def test_sizes_are_limited(store):
    with pytest.raises(ValueError, match=r"the key '.*xxx…' has 6555\d bytes; .* at most 65536"):
        store.set("x" * 65550, "")
    with pytest.raises(
        ValueError, match=r"for key '.*big' has 67108865 bytes; .* at most 67108864"
    ):
        store.set("big", bytes(2**26 + 1))
    with pytest.raises(
        ValueError, match="names 131073 keys; one call of a store names at most 131072"
    ):
        store.check(["a"] * (2**17 + 1))
    with pytest.raises(ValueError, match="names 131073 keys"):
        store.multi_get(["a"] * (2**17 + 1))
    long = ["a", "x" * 65550]
    for call in (store.check, store.wait, store.multi_get, lambda k: store.multi_set(k, ["", ""])):
        with pytest.raises(ValueError, match=r"the key '.*xxx…' has 6555\d bytes"):
            call(long)
    with pytest.raises(ValueError, match=r"for key '.*big' has 67108865 bytes"):
        store.multi_set(["a", "big"], ["", bytes(2**26 + 1)])
    if "EtcdStore" in repr(store):
        return  # its members take less
    store.set("half", bytes(2**25 + 1))
    with pytest.raises(ValueError, match=r"for key '.*half' has 67108866 bytes"):
        store.append("half", bytes(2**25 + 1))
    assert store.list_keys() == ["half"]


def test_extended_api(store):
    assert store.has_extended_api() is True


def test_errors_have_pytorchs_hierarchy():
    assert dist.DistError.__mro__[1] is RuntimeError
    for name in ("DistBackendError", "DistNetworkError", "DistStoreError"):
        assert getattr(dist, name).__mro__[1] is dist.DistError
    assert dist.QueueEmptyError.__mro__[1] is dist.DistStoreError
    assert dist.DistStoreError.__module__ == "opweave.distributed"


def declared(node):
    """The name that a line of a stub gives a type."""
    if isinstance(node, ast.AnnAssign):
        return {node.target.id}
    if isinstance(node, ast.Assign):  # of an enumeration
        return {target.id for target in node.targets}
    return {node.name} if isinstance(node, ast.ClassDef | ast.FunctionDef) else set()


def members(node, classes):
    """What a class of a stub has, by itself and from its bases there."""
    inherited = [
        members(classes[b.id], classes) for b in node.bases if getattr(b, "id", "") in classes
    ]
    return set().union(*inherited, *(declared(member) for member in node.body)) - {"__init__"}


def test_the_stub_has_what_the_module_has():
    stub = ast.parse(Path(dist.__file__).with_suffix(".pyi").read_text())
    named = {name for node in stub.body for name in declared(node) if not name.startswith("_")}
    assert named == set(dist.__all__)
    classes = {n.name: n for n in stub.body if isinstance(n, ast.ClassDef)}
    for name in named & classes.keys():
        cls, in_stub = getattr(dist, name), members(classes[name], classes)
        own = {n for n in vars(cls) if not n.startswith("_")}
        assert own - in_stub == set(), name
        # Not of its bases: what makes an object of another class has that one's methods.
        functions = {n.name for n in classes[name].body if isinstance(n, ast.FunctionDef)}
        assert {n for n in functions if not hasattr(cls, n)} == set(), name


def test_the_short_way_of_calls_says_what_the_other_does():
    """Plain calls go past pybind11; those by keywords, of other types, of objects never made do not."""
    store = dist.HashStore()
    store.set(key="k", value=b"\x00\xff")
    assert store.get(b"k") == store.get(key="k") == b"\x00\xff"
    assert store.add("n", amount=2) == 2
    assert store.add("n", True) == 3
    assert store.check(("k", "n"))
    assert store.compare_set("k", expected_value=b"\x00\xff", desired_value="v") == b"v"
    store.wait(["k"], datetime.timedelta(seconds=1))
    for call in (
        lambda: store.set("k"),
        lambda: store.set("k", 1),
        lambda: store.add("n", 2**70),
        lambda: store.add("n", 1.5),
        lambda: store.get("\udc80"),
        lambda: store.check("k"),
        lambda: store.check([1]),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match=r"set\(\): expected the arguments \(key: str, value: str"):
        store.set("k", 1)
    with pytest.raises(
        TypeError, match=r"'set' for .*Store' objects doesn't apply to a 'int' object"
    ):
        dist.Store.set(3, "k", "v")
    with pytest.raises(TypeError, match="made by its constructor"):
        dist.Store.get(dist.HashStore.__new__(dist.HashStore), "k")
    assert "Sets a key to a value" in dist.Store.set.__doc__


def test_a_class_of_ones_own_calls_the_class_below():
    class Loud(dist.HashStore):
        def get(self, key):
            return super().get(key) + b"!"

    store = Loud()
    store.set("k", "v")
    assert store.get("k") == b"v!"
