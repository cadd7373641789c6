"""Every way of an all_reduce between processes gives what all of them give."""

import hashlib
import json
import socket
import warnings

import numpy as np
import opweave as ow
import opweave.distributed as dist
import pytest
from opweave.distributed import _links
from support.ranks import run

COUNTS = [0, 1, 3, 1000, 16_383, 16_385, 70_001, 300_000, 1_400_003]


def drawn(rank, count, dtype):
    return np.random.default_rng([rank, count]).integers(1, 9, count).astype(dtype)


def values(dist, rank, size):
    for count in COUNTS:
        for dtype in (np.int64, np.float32, np.float16):
            parts = np.stack([drawn(r, count, dtype) for r in range(size)])
            for op, expected in (("sum", parts.sum(0)), ("max", parts.max(0))):
                x = ow.tensor(parts[rank])
                dist.all_reduce(x, dist.ReduceOp(op))
                assert np.array_equal(x.numpy(), expected.astype(dtype)), (count, dtype, op)
        lists = [ow.tensor(parts[rank]), ow.ones(3, dtype=ow.float16)]
        dist.all_reduce_coalesced(lists)
        assert np.array_equal(lists[0].numpy(), parts.sum(0).astype(dtype))
        assert lists[1].tolist() == [size] * 3
    return True


def alike(dist, rank, size):
    """To the bit on all ranks, and near the sum in float64."""
    digests = []
    for count in (40_000, 700_001):
        parts = [np.random.default_rng([r, count]).standard_normal(count) for r in range(size)]
        x = ow.tensor(parts[rank].astype(np.float32))
        dist.all_reduce(x, dist.ReduceOp.AVG)
        expected = sum(p.astype(np.float32).astype(np.float64) for p in parts) / size
        assert np.allclose(x.numpy(), expected, rtol=1e-5, atol=1e-6)
        digests.append(hashlib.sha256(x.numpy().tobytes()).hexdigest())
    return digests


@pytest.mark.parametrize("way", ["direct", "ring", "tree", "double_tree"])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_ways(way, size, tmp_path):
    options = {"backend": "gloo", "environment": {"OPWEAVE_ALL_REDUCE": way}}
    assert run(values, size, tmp_path, **options) == [True] * size
    (tmp_path / "alike").mkdir()
    found = run(alike, size, tmp_path / "alike", **options)
    assert all(digests == found[0] for digests in found)


def refused(dist, rank, size, meet):
    with pytest.raises(ValueError, match="OPWEAVE_ALL_REDUCE") as caught:
        meet()
    return str(caught.value)


def test_a_way_that_is_not_there(tmp_path):
    environment = {"OPWEAVE_ALL_REDUCE": "rings"}
    options = {"backend": "gloo", "environment": environment, "meets": False}
    for text in run(refused, 3, tmp_path, **options):
        known = "direct, ring, tree, double_tree, two_level"
        assert f"OPWEAVE_ALL_REDUCE=rings: expected one of {known}" in text


def measured(dist, rank, size, cache):
    before = dist.explain(2**20)
    links = dist.measure_links(seconds=0.1, cache=cache)
    again = dist.measure_links(seconds=0.1, cache=cache)
    x = ow.ones(1000)
    dist.all_reduce(x)
    assert x[0].item() == size
    return [before, links, again, dist.explain(2**20), dist.bucket_cap_mb(links)]


def test_links_are_measured_once(tmp_path):
    cache = tmp_path / "kept" / "links.json"
    results = run(measured, 3, tmp_path, backend="gloo", cache=str(cache))
    assert all(result == results[0] for result in results)
    before, links, again, after, bucket = results[0]
    assert list(links) == ["within"]
    assert links == again
    link = links["within"]
    assert 1e-7 < link["latency"] < 0.1
    assert 0 <= link["gap"] < 0.1
    assert 1e7 < link["bandwidth"] < 1e12
    assert 1 <= bucket <= 100
    assert before.startswith("all_reduce of 1048576 bytes, 3 ranks on 1 host: ")
    assert "links, assumed: 15 us and 3.5 GB/s within a host" in before
    assert "links, measured: " in after
    assert "two_level: needs as many ranks, and several, on each of several hosts" in after
    cache.write_text("{broken")
    (tmp_path / "again").mkdir()
    assert run(measured, 2, tmp_path / "again", backend="gloo", cache=str(cache))[0][1] != {}


def at_start(dist, rank, size):
    model = ow.nn.parallel.DistributedDataParallel(ow.nn.Linear(4, 4))
    return model.statistics()["bucket_cap_from"]


@pytest.mark.parametrize("setting", ["0", "1", "links.json"])
def test_links_are_measured_at_start_where_that_is_wanted(tmp_path, setting):
    setting = str(tmp_path / setting) if setting.endswith("json") else setting
    environment = {"OPWEAVE_MEASURE_LINKS": setting}
    found = run(at_start, 2, tmp_path, backend="gloo", environment=environment)
    assert found == ["default" if setting == "0" else "measured links"] * 2
    assert (tmp_path / "links.json").exists() == setting.endswith("json")


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ([0], []),
        ([0, 0, 0], [("within", [(0, 1)])]),
        ([0, 1], [("between", [(0, 1)])]),
        ([0, 0, 1, 1, 1], [("within", [(0, 1), (2, 3)]), ("between", [(0, 2)])]),
    ],
)
def test_which_links_are_measured_at_once(hosts, expected):
    assert _links._turns(hosts) == expected


@pytest.mark.parametrize("hosts", range(2, 10))
def test_each_two_hosts_are_measured_once_and_no_host_twice_at_a_time(hosts):
    turns = [pairs for _, pairs in _links._turns(list(range(hosts)))]
    assert all(len({r for pair in pairs for r in pair}) == 2 * len(pairs) for pairs in turns)
    met = sorted(pair for pairs in turns for pair in pairs)
    assert met == [(a, b) for a in range(hosts) for b in range(a + 1, hosts)]


def test_the_slowest_link_counts():
    turns = [("between", [(0, 1), (2, 3)]), ("between", [(0, 2)])]
    rows = {(0, 1): [1.0, 0.5, 9.0], (2, 3): [3.0, 0.1, 8.0], (0, 2): [2.0, 0.2, 7.0]}
    assert _links._of_kinds(turns, rows) == {
        "between": {"latency": 3.0, "gap": 0.5, "bandwidth": 7.0}
    }


def of_some(dist, rank, size):
    """The links of a part of the world, which the others know nothing of."""
    part, links = dist.new_group([0, 1]), None
    if rank != 2:
        links = list(dist.measure_links(part, seconds=0.05))
    x = ow.ones(1)
    dist.all_reduce(x, group=dist.new_group())
    return [links, x.item()]


def test_links_of_a_part_of_the_world(tmp_path):
    assert run(of_some, 3, tmp_path) == [[["within"], 3.0]] * 2 + [[None, 3.0]]


def test_a_bucket_for_links_that_are_none_or_not_right():
    assert dist.bucket_cap_mb({}) == 100
    for wrong in (3, {}, {"bandwidth": "fast"}, {"bandwidth": 0}):
        with pytest.raises(ValueError, match="whose 'within' has a 'bandwidth' above 0, got"):
            dist.bucket_cap_mb({"within": wrong})


def host():
    return f"gloo: within {socket.gethostname()}"


OTHERS = {"gloo: node1 - node2": [2e-5, 1e-6, 1e9], "shm: within node1": [1e-6, 1e-7, 1e10]}


@pytest.mark.parametrize(
    "before",
    [
        OTHERS,
        OTHERS | {host(): [1e-5, 1e-6, 0.0]},
        OTHERS | {host(): [1e-5, 1e-6, float("nan")]},
        OTHERS | {host(): [1e-5, -1e-6, 1e9]},
        OTHERS | {host(): [True, 0, 1e9]},
        OTHERS | {host(): ["1e-5", 1e-6, 1e9]},
        OTHERS | {host(): {"latency": 1}},
    ],
    ids=["absent", "zero", "nan", "negative", "bool", "text", "dict"],
)
def test_what_a_cache_has_of_other_hosts_stays(before, tmp_path):
    cache = tmp_path / "links.json"
    cache.write_text(json.dumps(before))
    links = run(measured, 2, tmp_path, backend="gloo", cache=str(cache))[0][1]
    after = json.loads(cache.read_text())
    assert after == OTHERS | {host(): list(links["within"].values())}


def remembered(dist, rank, size, cache):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        links = dist.measure_links(seconds=0.05, cache=cache)
    return [links["within"], [f"{w.category.__name__}: {w.message}" for w in told]]


def test_a_cache_is_believed(tmp_path):
    cache = tmp_path / "links.json"
    cache.write_text(json.dumps({host(): [0.5, 0.25, 1234.0]}))
    cache.chmod(0o400)
    expected = {"latency": 0.5, "gap": 0.25, "bandwidth": 1234.0}
    assert run(remembered, 2, tmp_path, backend="gloo", cache=str(cache)) == [[expected, []]] * 2


@pytest.mark.parametrize("kind", ["folder", "below a file"])
def test_a_cache_that_cannot_be_written_is_no_error(kind, tmp_path):
    """Whoever runs tests as root may write to what is read-only, but not to these."""
    there = tmp_path / "there"
    there.mkdir() if kind == "folder" else there.write_text("")
    cache = there if kind == "folder" else there / "links.json"
    first, second = run(remembered, 2, tmp_path, backend="gloo", cache=str(cache))
    assert first[0] == second[0]
    assert first[0]["bandwidth"] > 0
    assert second[1] == []
    why = "Is a directory" if kind == "folder" else "File exists"
    (said,) = first[1]
    assert said.startswith(f"RuntimeWarning: measure_links(): cache: {cache} cannot be written")
    assert said.endswith(f": {why}")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("there.")] == []


def buckets(dist, rank, size, links):
    model = ow.nn.Linear(4, 4)
    usual = ow.nn.parallel.DistributedDataParallel(model)
    before = dist.explain(100).splitlines()[-1]
    with open(links + str(rank), "w") as file:  # rank 0's counts
        json.dump({host(): [1e-5, 1e-6, 8e9]}, file)
    dist.measure_links(cache=links + str(rank))
    found = []
    for options in ({}, {"bucket_cap_mb": 3}, {"bucket_cap_mb_list": [2, 4]}):
        made = ow.nn.parallel.DistributedDataParallel(model, **options)
        said = made.statistics()
        found.append([made.bucket_bytes_cap_list, said["bucket_cap_mb"], said["bucket_cap_from"]])
    again = dist.new_group()
    other = ow.nn.parallel.DistributedDataParallel(model, process_group=again)
    found.append([other.bucket_bytes_cap_list, 25.0, other.statistics()["bucket_cap_from"]])
    after = dist.explain(100).splitlines()[-1]
    why = usual.statistics()["bucket_cap_from"]
    return [usual.bucket_bytes_cap_list, why, before, found, after]


def test_buckets_follow_from_links(tmp_path):
    mib, measured_size = 2**20, 8e6 / 2**20
    for usual, why, before, found, after in run(
        buckets, 2, tmp_path, backend="gloo", links=str(tmp_path / "links")
    ):
        assert usual == [mib, 25 * mib]
        assert why == "default"
        assert before == "  buckets of gradients: 25 MiB, as links were not measured"
        assert found == [
            [[mib, 8_000_000], pytest.approx(measured_size, abs=1e-5), "measured links"],
            [[3 * mib], 3, "bucket_cap_mb"],
            [[2 * mib, 4 * mib], 4, "bucket_cap_mb_list"],
            [[mib, 25 * mib], 25, "default"],
        ]
        assert after == "  buckets of gradients: 7.63 MiB, by what the slowest link carries in 1 ms"


def one_way(dist, rank, size):
    with pytest.raises(ValueError, match="seconds") as caught:
        dist.measure_links(seconds=0)
    return [dist.explain(100), list(dist.measure_links(seconds=0.05)), str(caught.value)]


def test_shared_memory_has_one_way(tmp_path):
    explained = "shm: has one way\n  buckets of gradients: 25 MiB, as links were not measured"
    expected = [explained, ["within"], "measure_links(): seconds must be positive, got 0"]
    assert run(one_way, 2, tmp_path) == [expected] * 2
