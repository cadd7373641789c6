"""Tensors that go in many steps, some past the caches, and collectives of all sizes one after another."""

import random
import time

import numpy as np
import opweave as ow
import pytest
from support.ranks import run

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


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("function", [sums, moves, mixed], ids=lambda f: f.__name__)
def test_large(function, size, backend, tmp_path):
    assert run(function, size, tmp_path, backend=backend) == [True] * size
