"""Every way of an all_reduce between processes gives what all of them give."""

import hashlib

import numpy as np
import opweave as ow
import opweave.distributed as dist
import pytest
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


def one_way(dist, rank, size):
    with pytest.raises(ValueError, match="seconds") as caught:
        dist.measure_links(seconds=0)
    return [dist.explain(100), list(dist.measure_links(seconds=0.05)), str(caught.value)]


def test_shared_memory_has_one_way(tmp_path):
    expected = ["shm: has one way", ["within"], "measure_links(): seconds must be positive, got 0"]
    assert run(one_way, 2, tmp_path) == [expected] * 2
