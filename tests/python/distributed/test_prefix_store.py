"""Prefixes, and stores that Python classes implement."""

import datetime

import opweave.distributed as dist
import pytest


def test_keys_have_the_prefix():
    below = dist.HashStore()
    store = dist.PrefixStore("p", below)
    store.set("a", "1")
    below.set("other", "2")
    assert sorted(below.list_keys()) == ["other", "p/a"]
    assert store.list_keys() == ["a"]
    assert store.num_keys() == 2
    assert store.underlying_store is below
    nested = dist.PrefixStore("q", store)
    nested.set("a", "3")
    assert below.get("p/q/a") == b"3"
    assert nested._underlying_non_prefix_store is below
    assert repr(nested) == "<PrefixStore('q', PrefixStore('p', HashStore))>"


def test_the_timeout_is_the_other_stores_or_its_own():
    below = dist.HashStore()
    store = dist.PrefixStore("p", below)
    nested = dist.PrefixStore("q", store)
    below.set_timeout(datetime.timedelta(seconds=9))
    assert nested.timeout == store.timeout == datetime.timedelta(seconds=9)
    store.set_timeout(datetime.timedelta(milliseconds=20))
    assert below.timeout == datetime.timedelta(seconds=9)
    assert nested.timeout == store.timeout == store.clone().timeout
    assert store.timeout == datetime.timedelta(milliseconds=20)
    with pytest.raises(dist.DistStoreError, match=r"^HashStore: get: wait timeout .* keys: 'p/a'"):
        store.get("a")


def test_needs_a_store():
    with pytest.raises(TypeError, match="PrefixStore expects a store, but got None"):
        dist.PrefixStore("p", None)


class DictStore(dist.Store):
    """What a program may write."""

    def __init__(self):
        super().__init__()
        self.values = {}

    def set(self, key, value):
        self.values[key] = value

    def get(self, key):
        return self.values[key]

    def check(self, keys):
        return all(key in self.values for key in keys)

    def wait(self, keys, timeout):
        if not self.check(keys):
            raise dist.DistStoreError(f"{keys} after {timeout}")


def test_a_python_class_is_a_store():
    store = dist.PrefixStore("p", DictStore())
    store.set("a", b"\xff")
    assert store.get("a") == b"\xff"
    assert store.underlying_store.values == {"p/a": b"\xff"}
    assert store.check(["a"])
    assert not store.check(["b"])
    store.multi_set(["b", "c"], ["1", "2"])
    assert store.multi_get(["b", "c"]) == [b"1", b"2"]
    assert store.has_extended_api() is False


def test_errors_of_python_classes_arrive():
    store = dist.PrefixStore("p", DictStore())
    with pytest.raises(KeyError, match="p/zz"):
        store.get("zz")
    with pytest.raises(dist.DistStoreError, match=r"\['p/zz'\] after 0:00:00.500000"):
        store.wait(["zz"], 0.5)
    for call in (
        lambda: store.add("n", 1),
        lambda: store.append("n", "1"),
        lambda: store.queue_push("n", "1"),
        store.num_keys,
    ):
        with pytest.raises(NotImplementedError, match=r"^DictStore has no method \w+$"):
            call()


def test_the_plain_class_has_no_methods():
    with pytest.raises(NotImplementedError, match="Store has no method get"):
        dist.Store().get("a")
