"""The scheduler: one order by priority on all ranks, the bits of plain collectives, and ends."""

import json
import os
import signal
import socket
import time

import numpy as np
import opweave as ow
import pytest
from support.ranks import Ranks, run

MIB = 2**20
PART = 1 / 16


def drawn(rank, count, dtype=np.float32):
    return np.random.default_rng([rank, count]).standard_normal(count).astype(dtype)


def bits(x):
    return x.view(ow.int16 if x.element_size() == 2 else ow.int32).tolist()


# --- values


def as_without(dist, rank, size):
    """Of each dtype, size and operation what a plain collective gives, bit by bit."""
    with dist.Scheduler(round_mb=PART) as scheduler:
        pairs = []
        for number, count in enumerate([0, 1, 7, 1000, 16_385, 300_001, 700_001]):
            for op, dtype in (("sum", np.float32), ("avg", np.float16), ("max", np.float32)):
                plain = ow.tensor(drawn(rank, count, dtype))
                dist.all_reduce(plain, dist.ReduceOp(op))
                mine = ow.tensor(drawn(rank, count, dtype))
                work = scheduler.all_reduce(mine, dist.ReduceOp(op), priority=number % 3)
                pairs.append((plain, mine, work))
        for count in (5, 400_000):
            plain = ow.tensor(drawn(1, count))
            mine = ow.tensor(drawn(rank, count))
            pairs.append((plain, mine, scheduler.broadcast(mine, 1)))
        for plain, mine, work in pairs:
            work.wait()
            assert bits(mine) == bits(plain), (mine.shape, mine.dtype)
        found = scheduler.statistics()
        assert found["collectives"] == len(pairs)
        assert found["parts"] > len(pairs)
    return True


@pytest.mark.parametrize("way", ["direct", "ring", "tree", "double_tree"])
def test_bits_are_those_of_plain_collectives(way, tmp_path):
    options = {"backend": "gloo", "environment": {"OPWEAVE_ALL_REDUCE": way}}
    assert run(as_without, 3, tmp_path, **options) == [True] * 3


def as_measured(dist, rank, size, cache):
    """Links by which a part alone would go another way, and have other bits, than the whole."""
    dist.measure_links(cache=cache)
    ways = [dist.explain(n).splitlines()[0].split(": ")[1] for n in (MIB // 16, 2_800_004)]
    return [*ways, as_without(dist, rank, size)]


def test_parts_go_the_way_of_the_whole(tmp_path):
    cache = tmp_path / "links.json"
    cache.write_text(json.dumps({f"gloo: within {socket.gethostname()}": [1e-4, 1e-4, 1e9]}))
    found = run(as_measured, 4, tmp_path, backend="gloo", cache=str(cache))
    assert found == [["tree", "direct", True]] * 4


def test_bits_over_shared_memory(tmp_path):
    assert run(as_without, 2, tmp_path) == [True] * 2


# --- order


def order_of(works):
    """Numbers of works in the order in which they end."""
    ended = []
    for number, work in enumerate(works):
        work._when_done(lambda number=number: ended.append(number))
    for work in works:
        work.wait()
    return ended


def ordered(dist, rank, size, late):
    """Each rank calls at times of its own."""
    rng = np.random.default_rng(rank)
    with dist.Scheduler(round_mb=PART) as scheduler:
        gate = ow.zeros(4 * MIB)
        works = [scheduler.all_reduce(gate, priority=-1)]
        sums = []
        for number in range(30):
            time.sleep(rng.random() * 0.004 if rank in late else 0)
            x = ow.full((1000 * (1 + number % 4),), float(rank))
            sums.append(x)
            works.append(scheduler.all_reduce(x, priority=number % 5))
        for work in works:
            work.wait()
        assert all(x.tolist() == [sum(range(size))] * len(x) for x in sums)
        found = scheduler.statistics()
        return {name: found[name] for name in ("order", "rounds", "parts", "overtakings")}


@pytest.mark.parametrize("late", [[], [0], [1, 2]])
def test_all_ranks_have_one_order(late, tmp_path):
    first, *others = run(ordered, 3, tmp_path, backend="gloo", late=late)
    assert all(other == first for other in others)
    assert first["overtakings"] > 0
    assert first["parts"] > 16 * MIB / (PART * MIB)


def by_rule(dist, rank, size):
    """All are called before the first round: a rank that is late keeps the others from it."""
    with dist.Scheduler(round_mb=PART) as scheduler:
        rules = [(0, 4_000_000), (2, 40_000), (2, 10), (1, 5), (2, 10)]
        if rank == 0:
            time.sleep(0.3)
        return order_of([scheduler.all_reduce(ow.ones(n), priority=p) for p, n in rules])


def test_priority_then_size_then_the_first(tmp_path):
    for found in run(by_rule, 2, tmp_path):
        # The first round may be before the last calls, and is of the first then.
        assert found == [2, 4, 1, 3, 0]


def urgent(dist, rank, size, scheduled):
    """How long a small one waits behind a large one, and how long that takes in all."""
    scheduler = dist.Scheduler(round_mb=0.25)
    large, small = ow.ones(24 * MIB), ow.ones(1)
    dist.barrier()
    began = time.perf_counter()
    if scheduled:
        slow = scheduler.all_reduce(large, priority=0)
        scheduler.all_reduce(small, priority=1).wait()
    else:
        slow = dist.all_reduce(large, async_op=True)
        dist.all_reduce(small)
    waited = time.perf_counter() - began
    slow.wait()
    both = time.perf_counter() - began
    scheduler.close()
    return waited / both


def test_what_is_urgent_does_not_wait_for_what_is_large(tmp_path):
    (tmp_path / "plain").mkdir()
    plain = run(urgent, 2, tmp_path / "plain", backend="gloo", scheduled=False)
    scheduled = run(urgent, 2, tmp_path, backend="gloo", scheduled=True)
    assert min(plain) > 0.9
    assert max(scheduled) < 0.5


# --- ends


def said(call):
    began = time.monotonic()
    with pytest.raises(RuntimeError) as caught:
        call()
    return [type(caught.value).__name__, str(caught.value), time.monotonic() - began]


def unlike(dist, rank, size, what):
    scheduler = dist.Scheduler(round_mb=PART)
    first = rank == 0
    count, op, priority = 100_000, dist.ReduceOp.SUM, 0
    if what == "sizes":
        count += first
    if what == "ops" and first:
        op = dist.ReduceOp.MAX
    if what == "priorities":
        priority = int(first)
    x = ow.ones(count, dtype=ow.float64 if what == "dtypes" and first else ow.float32)
    differs = what == "kinds" and first
    work = scheduler.broadcast(x, 0) if differs else scheduler.all_reduce(x, op, priority)
    told = said(work.wait)
    assert x.tolist() == [1] * count, "nothing is written"
    y = ow.ones(3)
    later = said(lambda: scheduler.all_reduce(y).wait())
    dist.all_reduce(y)  # the group itself goes on
    return [told, later, y.tolist()]


@pytest.mark.parametrize("what", ["sizes", "ops", "priorities", "dtypes", "kinds"])
def test_unlike_calls_are_found_before_they_do_harm(what, tmp_path):
    for told, later, y in run(unlike, 3, tmp_path, backend="gloo", what=what):
        assert told[0] == "DistBackendError"
        assert "the ranks gave the scheduler different things as its collective number 0" in told[1]
        assert later[0] == "DistBackendError"
        assert "the scheduler has ended: the ranks gave" in later[1]
        assert y == [3, 3, 3]


def never_comes(dist, rank, size):
    scheduler = dist.Scheduler(round_mb=PART)
    x = ow.ones(1_000_000)
    scheduler.all_reduce(x).wait()
    if rank == 1:
        time.sleep(3.5)
        return None
    work, other = scheduler.all_reduce(x), scheduler.all_reduce(ow.ones(1))
    return [said(work.wait), said(other.wait), work.is_success()]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_a_rank_that_does_not_come_is_named(backend, tmp_path):
    results = run(never_comes, 3, tmp_path, backend=backend, timeout=2)
    assert results[1] is None
    for result in (results[0], results[2]):
        for kind, text, seconds in result[:2]:
            assert kind == "DistBackendError"
            assert "rank 1" in text
            assert "test_scheduler.py" in text, "where it was called"
            assert seconds < 4
        assert result[0][1].startswith("all_reduce(sum) of float32[1000000] by the scheduler: ")
        assert not result[2]


def in_the_middle(scheduler):
    while scheduler.statistics()["parts"] < 20:
        time.sleep(0.001)


def dies(dist, rank, size):
    scheduler = dist.Scheduler(round_mb=PART)
    x = ow.ones(64 * MIB)
    work = scheduler.all_reduce(x)
    in_the_middle(scheduler)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return [said(work.wait), scheduler.statistics()["parts"]]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_a_rank_that_ends_in_the_middle_of_the_parts(backend, tmp_path):
    ranks = Ranks(dies, 3, tmp_path, backend=backend)
    results = ranks.wait()
    assert results[1] is None
    for (kind, text, seconds), parts in (results[0], results[2]):
        assert kind == "DistBackendError"
        assert "by the scheduler: " in text
        assert "rank 1" in text
        assert seconds < 10
        assert 20 <= parts < 64 * MIB * 4 / (PART * MIB)


def aborts(dist, rank, size, how):
    scheduler = dist.Scheduler(round_mb=PART)
    x, small = ow.ones(64 * MIB), ow.ones(1)
    work = scheduler.all_reduce(x)
    in_the_middle(scheduler)
    if rank == 1:
        if how == "abort":
            scheduler.group.abort("enough of it")
        elif how == "close":
            scheduler.close()
            return [said(work.wait), said(lambda: scheduler.all_reduce(small)), [2.0]]
    told = said(work.wait)
    later = said(lambda: scheduler.all_reduce(small).wait())
    y = ow.ones(1)
    if how == "abort":
        dist.all_reduce(y)
    return [told, later, y.tolist()]


def test_an_abort_in_the_middle_of_the_parts(tmp_path):
    for told, later, y in run(aborts, 2, tmp_path, backend="gloo", how="abort"):
        assert "enough of it" in told[1]
        assert "enough of it" in later[1]
        assert told[2] < 5
        assert y == [2]


def test_a_rank_that_closes_it_in_the_middle_of_the_parts(tmp_path):
    results = run(aborts, 2, tmp_path, backend="gloo", how="close")
    told = results[1][0][1]  # by the part that was under way, or before the next
    assert "its process group was destroyed" in told or "its scheduler was closed" in told
    assert results[1][1][1] == "Scheduler: it was closed"
    assert "rank 1 left the group" in results[0][0][1]
    assert results[0][0][2] < 10


def destroyed(dist, rank, size):
    scheduler = dist.Scheduler()
    x = ow.ones(1000)
    scheduler.all_reduce(x).wait()
    dist.destroy_process_group()
    return [x[0].item(), said(lambda: scheduler.all_reduce(x).wait())[1]]


def test_after_its_world(tmp_path):
    for value, text in run(destroyed, 2, tmp_path):
        assert value == 2
        assert "its process group was destroyed" in text


def forked(dist, rank, size):
    """A child has no thread of it, and waits for none, whatever its parent is doing."""
    scheduler = dist.Scheduler(round_mb=PART)
    x = ow.ones(32 * MIB)
    work = scheduler.all_reduce(x)
    in_the_middle(scheduler)
    child = os.fork()
    if child == 0:
        text = said(lambda: scheduler.all_reduce(ow.ones(1)))[1]
        del scheduler
        os._exit(0 if "from which this one was forked" in text else 1)
    end = time.monotonic() + 10
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    work.wait()
    scheduler.close()
    return [ended == (child, 0), x[0].item()]


def test_a_process_that_was_forked_in_the_middle_of_the_parts(tmp_path):
    assert run(forked, 2, tmp_path, backend="gloo") == [[True, 2]] * 2


def left_alone(dist, rank, size):
    scheduler = dist.Scheduler(round_mb=PART)
    work = scheduler.all_reduce(ow.ones(8 * MIB))
    in_the_middle(scheduler)
    del scheduler  # waits for nobody
    return said(work.wait)


def test_what_is_pending_when_nobody_has_it_any_more_fails(tmp_path):
    for kind, text, seconds in run(left_alone, 2, tmp_path, backend="gloo"):
        assert kind == "DistBackendError"
        # Whichever comes first: the scheduler goes, its group, or the other process.
        ends = ("its scheduler was closed", "its process group was destroyed", "left the group")
        assert any(end in text for end in ends), text
        assert seconds < 5


# --- arguments


def refused(dist, rank, size):
    scheduler = dist.Scheduler()
    x = ow.ones(3)
    calls = [
        lambda: dist.Scheduler(round_mb=0),
        lambda: dist.Scheduler(round_mb=float("inf")),
        lambda: dist.Scheduler(round_mb=1e-30),
        lambda: dist.Scheduler(round_mb="1"),
        lambda: scheduler.all_reduce([x]),
        lambda: scheduler.all_reduce(x, "sum"),
        lambda: scheduler.all_reduce(x, priority=1.5),
        lambda: scheduler.all_reduce(x, priority=2**31),
        lambda: scheduler.all_reduce(ow.ones((4, 3)).t()),
        lambda: scheduler.broadcast(x),
        lambda: scheduler.broadcast(x, 7),
        lambda: scheduler.broadcast(x, group_src=7),
    ]
    texts = []
    for call in calls:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        texts.append(f"{type(caught.value).__name__}: {caught.value}")
    scheduler.all_reduce(x).wait()
    return [*texts, scheduler.explain(), x.tolist()]


def test_arguments(tmp_path):
    expected = [
        "ValueError: Scheduler(): round_mb must be positive, got 0",
        "ValueError: Scheduler(): round_mb: expected at least a byte and less than 2**43 MiB, got inf",
        "ValueError: Scheduler(): round_mb: expected at least a byte and less than 2**43 MiB, got 1e-30",
        "TypeError: Scheduler(): round_mb: expected a number or None, got str",
        "TypeError: Scheduler.all_reduce(): tensor: expected a Tensor, got list",
        "TypeError: Scheduler.all_reduce(): op: expected a ReduceOp, got str",
        "TypeError: Scheduler.all_reduce(): priority: expected an int, got float",
        "ValueError: Scheduler.all_reduce(): priority: expected an int of 32 bits, got 2147483648",
        "ValueError: all_reduce(): Tensors must be contiguous",
        "ValueError: Scheduler.broadcast(): expected either src or group_src, got src=None",
        "ValueError: ",
        "ValueError: broadcast(): rank 7 is not in the group",
        "rounds of 1 MiB, as links were not measured",
    ]
    for *texts, x in run(refused, 2, tmp_path):
        assert [t[: len(e)] for t, e in zip(texts, expected, strict=True)] == expected
        assert "rank 7" in texts[10]
        assert x == [2, 2, 2]


def sized(dist, rank, size, meet=None):
    links = dist.measure_links(seconds=0.05)
    scheduler = dist.Scheduler()
    x = ow.ones(3_000_000)
    scheduler.all_reduce(x).wait()
    return [links["within"], scheduler.round_mb, scheduler.explain(), x.sum().item()]


def test_rounds_follow_from_links(tmp_path):
    first, second = run(sized, 2, tmp_path, backend="gloo")
    assert first == second
    link, mib, why, total = first
    carried = 50 * link["latency"] * link["bandwidth"] / MIB
    assert mib == pytest.approx(min(max(carried, 1 / 16), 16))
    assert why.endswith("MiB, what the slowest measured link carries in 50 latencies")
    assert total == 6_000_000
