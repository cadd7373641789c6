"""Tensors that go in many steps or are read where they lie, and collectives of all sizes in turn."""

import contextlib
import os
import random
import re
import signal
import time

import numpy as np
import opweave as ow
import pytest
from support.ranks import Ranks, run

LARGE = 2_600_003  # more than 8 MiB of float32, and no multiple of anything


def drawn(rank, count, salt=0):
    return np.random.default_rng([rank, salt]).standard_normal(count, np.float32)


def in_order(parts):
    """What all ranks come to, combined in their order: equal to the bit."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def equal(got, expected):
    return np.array_equal(got.numpy().view(np.int32), expected.view(np.int32))


def sums(dist, rank, size):
    for count in (8192, 8193, 131_072, 400_001, LARGE):
        for offset in (0, 1, 3):  # tensors that begin anywhere in a line of the cache
            parts = [drawn(r, count) for r in range(size)]
            room = ow.full((count + offset + 1,), -1.0)
            x = room[offset : offset + count]
            x.copy_(ow.tensor(parts[rank]))
            dist.all_reduce(x)
            assert equal(x, in_order(parts)), (count, offset)
            x.copy_(ow.tensor(parts[rank]))
            dist.reduce(x, size - 1)
            assert equal(x, in_order(parts) if rank == size - 1 else parts[rank]), (count, offset)
            assert set(room[:offset].tolist() + room[offset + count :].tolist()) == {-1.0}
    return True


def moves(dist, rank, size):
    share = [drawn(r, LARGE) for r in range(size)]
    whole = ow.full((size * LARGE,), -1.0)
    dist.all_gather_into_tensor(whole, ow.tensor(share[rank]))
    assert equal(whole, np.concatenate(share))
    # What a rank gives lies where it is to go.
    whole.fill_(-1.0)
    mine = whole[rank * LARGE : (rank + 1) * LARGE]
    mine.copy_(ow.tensor(share[rank]))
    dist.all_gather_into_tensor(whole, mine)
    assert equal(whole, np.concatenate(share))
    got = ow.empty(size * LARGE)
    dist.all_to_all_single(
        got, ow.tensor(np.concatenate([drawn(rank, LARGE, r) for r in range(size)]))
    )
    assert equal(got, np.concatenate([drawn(r, LARGE, rank) for r in range(size)]))
    summed = ow.empty(LARGE)
    dist.reduce_scatter(summed, [ow.tensor(drawn(rank, LARGE, r)) for r in range(size)])
    assert equal(summed, in_order([drawn(r, LARGE, rank) for r in range(size)]))
    x = ow.tensor(share[rank])
    dist.broadcast(x, size - 1)
    assert equal(x, share[size - 1])
    return True


def mixed(dist, rank, size):
    """The same calls on all ranks, each of which is late now and then."""
    common, own = random.Random(7), random.Random(rank)
    for turn in range(150):
        count = common.choice([1, 100, 9000, 70_000, 300_000, 700_000]) + common.randrange(3)
        kind = common.choice(
            ["all_reduce", "reduce", "broadcast", "all_gather", "all_to_all", "barrier"]
        )
        root = common.randrange(size)
        if own.random() < 0.2:
            time.sleep(own.random() * 0.002)
        x = ow.full((count,), float(rank + turn))
        if kind == "all_reduce":
            dist.all_reduce(x)
            assert set(x[:: max(count // 50, 1)].tolist()) == {sum(range(size)) + size * turn}, turn
        elif kind == "reduce":
            dist.reduce(x, root)
            expected = sum(range(size)) + size * turn if rank == root else rank + turn
            assert bool((x == expected).all()), turn
        elif kind == "broadcast":
            dist.broadcast(x, root)
            assert bool((x == root + turn).all()), turn
        elif kind == "all_gather":
            outs = [ow.empty(count) for _ in range(size)]
            dist.all_gather(outs, x)
            assert all(bool((outs[r] == r + turn).all()) for r in range(size)), turn
        elif kind == "all_to_all":
            outs = [ow.empty(count) for _ in range(size)]
            dist.all_to_all(outs, [x + r for r in range(size)])
            assert all(bool((outs[r] == r + turn + rank).all()) for r in range(size)), turn
        else:
            dist.barrier()
    return True


def in_place(dist, rank, size):
    """Tensors that are read and written at once, where they share memory."""
    chunk = LARGE // 2 * 2
    given = [drawn(r, size * chunk) for r in range(size)]
    parts = [[g[r * chunk : (r + 1) * chunk] for r in range(size)] for g in given]
    x = ow.tensor(given[rank])
    mine = x[rank * chunk : (rank + 1) * chunk]
    dist.reduce_scatter_tensor(mine, x)  # into the share of the input that only this rank reads
    assert equal(mine, in_order([parts[r][rank] for r in range(size)]))
    assert all(
        equal(x[r * chunk : (r + 1) * chunk], parts[rank][r]) for r in range(size) if r != rank
    )
    x = ow.tensor(given[rank])
    dist.all_to_all_single(x, x)
    assert equal(x, np.concatenate([parts[r][rank] for r in range(size)]))
    inputs = [ow.tensor(parts[rank][r]) for r in range(size)]
    out = inputs[(rank + 1) % size]  # what another rank is still given
    dist.reduce_scatter(out, inputs)
    assert equal(out, in_order([parts[r][rank] for r in range(size)]))
    for shift in (-1, 1):  # overlaps by one
        room = ow.zeros(chunk + 2)
        x = room[1 : chunk + 1]
        x.copy_(ow.tensor(given[rank][:chunk]))
        out = room[1 + shift : 1 + shift + chunk]
        dist.reduce_scatter(
            out, [ow.tensor(parts[rank][r]) if r != rank else x for r in range(size)]
        )
        own = [parts[r][rank] if r != rank else given[rank][:chunk] for r in range(size)]
        assert equal(out, in_order(own)), shift
        room = ow.zeros(size * chunk + 2)
        x = room[1 : size * chunk + 1]
        x.copy_(ow.tensor(given[rank]))
        out = room[1 + shift : 1 + shift + size * chunk]
        dist.all_to_all_single(out, x)
        assert equal(out, np.concatenate([parts[r][rank] for r in range(size)])), shift
        mine = room[1 + shift : 1 + shift + chunk]
        mine.copy_(ow.tensor(parts[rank][0]))
        whole = room[1 : size * chunk + 1]
        dist.all_gather_into_tensor(whole, mine)
        assert equal(whole, np.concatenate([parts[r][0] for r in range(size)])), shift
    return True


REDUCED = {
    "sum": lambda d: d.sum(0, dtype=d.dtype),
    "avg": lambda d: d.sum(0) / d.dtype.type(len(d)),
    "max": lambda d: d.max(0),
    "product": lambda d: d.prod(0, dtype=d.dtype),
}


def of_dtypes(dist, rank, size):
    for dtype in (np.float64, np.float16, np.int64, np.int16, np.uint8, np.bool_):
        draws = np.random.default_rng(5).integers(0, 2, (size, LARGE + 7)).astype(dtype)
        for op in ("max", "product") if dtype is np.bool_ else ("sum", "avg", "max", "product"):
            if op == "avg" and not np.issubdtype(dtype, np.floating):
                continue
            x = ow.tensor(draws[rank])
            dist.all_reduce(x, dist.ReduceOp(op))
            expected = REDUCED[op](draws).astype(dtype)
            assert np.array_equal(x.numpy(), expected), (dtype, op)
    return True


def uneven(dist, rank, size):
    """Ranks that give much, little and nothing."""
    counts = [[(LARGE, 5, 0, 40_000)[(r + to) % 4] for to in range(size)] for r in range(size)]
    given = [drawn(r, sum(counts[r])) for r in range(size)]
    got = ow.empty(sum(counts[r][rank] for r in range(size)))
    dist.all_to_all_single(
        got, ow.tensor(given[rank]), [counts[r][rank] for r in range(size)], counts[rank]
    )
    begins = [sum(counts[r][:rank]) for r in range(size)]
    expected = [given[r][begins[r] : begins[r] + counts[r][rank]] for r in range(size)]
    assert equal(got, np.concatenate(expected))
    whole, more = 64 * 1024 // 4, 256 * 1024 // 4  # what goes at once, and what is read directly
    for most in (whole, whole + 1, more, more + 1):
        for least in (0, 1, 5_000, whole, whole + 1):
            exchange_in_place(dist, rank, size, most, least)
    return True


def exchange_in_place(dist, rank, size, most, least):
    """Two ranks give each other much, all others little."""
    amounts = [[most if {r, to} == {0, 1} else least for to in range(size)] for r in range(size)]
    given = [drawn(r, sum(amounts[r]), most + least) for r in range(size)]
    x = ow.tensor(given[rank])
    dist.all_to_all_single(x, x, amounts[rank], amounts[rank])
    ends = np.cumsum(amounts, 1)
    expected = [given[r][ends[r][rank] - amounts[r][rank] : ends[r][rank]] for r in range(size)]
    assert equal(x, np.concatenate(expected)), (most, least)


def shared_blocks():
    """Of this process; what it has of the others' is mapped as well, but is open there alone."""
    own = set(open_files())
    return sum(inode in own for inode in mapped_blocks())


def open_files():
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # another thread has closed it
            yield os.stat(f"/proc/self/fd/{descriptor}").st_ino


def mapped_blocks():
    """The numbers of their files."""
    with open("/proc/self/maps") as maps:
        return [int(line.split()[4]) for line in maps if "opweave block" in line and "rw-s" in line]


def kept(dist, rank, size):
    """Tensors that take part again and again, which makes them shared memory, and forks meanwhile."""
    x, y = ow.empty(size * LARGE), ow.empty(size * LARGE)
    memory = x.data_ptr(), x.numpy()
    for turn in range(6):
        given = [drawn(r, size * LARGE, turn) for r in range(size)]
        x.copy_(ow.tensor(given[rank]))
        child = os.fork() if turn == 4 else None
        dist.all_reduce(x) if child != 0 else x.fill_(-7)
        if child == 0:
            os._exit(0 if bool((x == -7).all()) else 1)
        if child is not None:
            assert os.waitpid(child, 0)[1] == 0
        assert equal(x, in_order(given)), turn
        x.copy_(ow.tensor(given[rank]))
        dist.all_to_all_single(y, x)
        parts = [[g[r * LARGE : (r + 1) * LARGE] for r in range(size)] for g in given]
        assert equal(y, np.concatenate([parts[r][rank] for r in range(size)])), turn
        out = ow.empty(LARGE)
        dist.reduce_scatter_tensor(out, x)
        assert equal(out, in_order([parts[r][rank] for r in range(size)])), turn
        own = y[rank * LARGE : (rank + 1) * LARGE]
        own.copy_(ow.tensor(parts[rank][0]))
        dist.all_gather_into_tensor(y, own)
        assert equal(y, np.concatenate([parts[r][0] for r in range(size)])), turn
        dist.broadcast(x, turn % size)
        assert equal(x, given[turn % size]), turn
    assert x.data_ptr() == memory[0]
    assert equal(x, memory[1])
    shared = shared_blocks()
    del memory, x, y, own, out
    ow.cpu.empty_cache()
    return shared, shared_blocks()


def forks_often(dist, rank, size):
    """What the other ranks have mapped of blocks that a fork has ended, and of these."""
    x = ow.empty(LARGE)
    for turn in range(20):
        for _ in range(4):
            x.fill_(1)
            dist.all_reduce(x)
        assert bool((x == size).all())
        if (child := os.fork()) == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, turn
    return len(mapped_blocks()) - shared_blocks()


def test_blocks_that_a_fork_has_ended_are_let_go(tmp_path):
    """They would take memory for as long as somebody maps them."""
    assert run(forks_often, 2, tmp_path) == [1, 1]


def in_part(dist, rank, size):
    """What of a storage is not given may be written by others meanwhile: it does not move."""
    room = ow.zeros(2 * LARGE)
    for turn in range(6):
        x = room[:LARGE]
        x.copy_(ow.tensor(drawn(rank, LARGE, turn)))
        dist.all_reduce(x)
        assert equal(x, in_order([drawn(r, LARGE, turn) for r in range(size)])), turn
    return shared_blocks()


def not_all_read(dist, rank, size, meet):
    if rank == 0:
        os.environ["OPWEAVE_SHM_DIRECT"] = "0"
    meet()
    return sums(dist, rank, size) and moves(dist, rank, size)


WAYS = {
    "shm": ("shm", {}),
    "shm in steps": ("shm", {"OPWEAVE_SHM_DIRECT": "0"}),
    "gloo": ("gloo", {}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    "function", [sums, moves, mixed, in_place, uneven, of_dtypes], ids=lambda f: f.__name__
)
def test_large(function, size, way, tmp_path):
    backend, environment = WAYS[way]
    given = {"backend": backend, "environment": environment}
    assert run(function, size, tmp_path, **given) == [True] * size


def test_one_rank_that_cannot_read(tmp_path):
    assert run(not_all_read, 3, tmp_path, meets=False) == [True] * 3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [2, 3])
def test_tensors_that_are_kept(way, size, tmp_path):
    backend, environment = WAYS[way]
    for shared, left in run(kept, size, tmp_path, backend=backend, environment=environment):
        assert (shared > 0) == (way == "shm")
        assert left == 0


def test_parts_of_a_storage_do_not_move(tmp_path):
    assert run(in_part, 2, tmp_path) == [0, 0]


def until_it_fails(dist, rank, size):
    x, y = ow.ones(size * LARGE), ow.empty(size * LARGE)
    print("READY", flush=True)
    began = time.monotonic()
    try:
        while time.monotonic() - began < 30:
            dist.all_reduce(x)
            dist.all_to_all_single(y, x)
            dist.reduce_scatter_tensor(y[:LARGE], x)
    except dist.DistBackendError as e:
        return str(e)
    return "nothing failed"


@pytest.mark.parametrize("turn", range(4))
def test_a_process_is_killed_while_it_is_read(turn, tmp_path):
    ranks = Ranks(until_it_fails, 3, tmp_path)
    for process in ranks.processes:
        assert process.stdout.readline() == "READY\n"
    time.sleep(0.3 + 0.013 * turn)
    ranks.processes[1].send_signal(signal.SIGKILL)
    results = ranks.wait()
    assert results[1] is None
    for text in (results[0], results[2]):
        assert f"rank 1 (process {ranks.processes[1].pid}) has ended" in text, text


@pytest.mark.parametrize("turn", range(2))
def test_a_process_stops_while_it_is_read(turn, tmp_path):
    ranks = Ranks(until_it_fails, 3, tmp_path, timeout=1.5)
    for process in ranks.processes:
        assert process.stdout.readline() == "READY\n"
    time.sleep(0.3 + 0.013 * turn)
    stopped = ranks.processes[1]
    stopped.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    texts = []
    for process in (ranks.processes[0], ranks.processes[2]):
        out, _ = process.communicate(timeout=20)
        texts.append(out)
    took = time.monotonic() - began
    stopped.send_signal(signal.SIGCONT)
    heard = stopped.communicate(timeout=20)[0]  # when it goes on
    # It hears who did not come to which call, or gives up itself.
    call = r"(all_reduce|all_to_all|reduce_scatter)[^:]* \(number \d+ of its group\): "
    reason = r"rank 1 did not come|rank [02] \(process \d+\) has ended|.*has not given up after"
    assert re.search(f"{call}({reason})", heard), heard
    assert all("rank 1 did not come in time" in text for text in texts), texts
    assert took < 1.5 + 1 + 1, took


def given_up(dist, rank, size):
    """Where others write to a tensor whose call is given up, it is this rank's alone from then on."""
    x = ow.ones(24 * LARGE)
    for _ in range(5):
        dist.all_reduce(x)
    print("READY", flush=True)
    try:
        while True:
            dist.all_reduce(x)
    except dist.DistBackendError:
        x.fill_(7)
    print("FILLED", flush=True)
    time.sleep(1.5)  # what is late goes on meanwhile
    return bool((x == 7).all())


@pytest.mark.parametrize("turn", range(5))
def test_who_is_late_does_not_write_into_what_was_given_up(turn, tmp_path):
    ranks = Ranks(given_up, 2, tmp_path, timeout=4)  # also to meet, on a busy machine
    for process in ranks.processes:
        assert process.stdout.readline() == "READY\n"
    time.sleep(0.2 + 0.017 * turn)
    stopped = ranks.processes[1]
    stopped.send_signal(signal.SIGSTOP)
    assert ranks.processes[0].stdout.readline() == "FILLED\n"
    stopped.send_signal(signal.SIGCONT)
    assert ranks.wait() == [True, True]
