"""Every collective over each backend, on several processes: values against NumPy, on each rank."""

import numpy as np
import opweave as ow
import pytest
from support.ranks import run

SIZES = (0, 1, 7, 1000, 70_001, 300_000)
DTYPES = (
    "float32",
    "float64",
    "bfloat16",
    "float16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
)
# On which operators do no arithmetic.
RARE = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2")
COMBINE = {
    "sum": np.add,
    "product": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "band": np.bitwise_and,
    "bor": np.bitwise_or,
    "bxor": np.bitwise_xor,
}


def values(rank, size, salt=0):
    """Small whole numbers, which every dtype holds, as do their sums and products over four ranks."""
    return (np.arange(size) * 7 + rank * 3 + salt) % 3


def tensor(rank, size, dtype, salt=0):
    return ow.tensor(values(rank, size, salt)).to(getattr(ow, dtype))


def same(got, expected, what):
    expected = ow.tensor(np.ascontiguousarray(expected)).to(got.dtype)
    assert got.shape == expected.shape, what
    if got.dtype in (ow.float8_e4m3fn, ow.float8_e5m2):  # which are not compared
        got, expected = got.float(), expected.float()
    assert bool((got == expected).all()), what


def reductions(dist, rank, size):
    for dtype in (*DTYPES, *RARE):
        floating = getattr(ow, dtype).is_floating_point
        for op, combine in COMBINE.items():
            if floating and op in ("band", "bor", "bxor"):
                continue
            for n in SIZES[1::2] if dtype in RARE else SIZES:
                parts = [values(r, n) for r in range(size)]
                if dtype == "bool":
                    parts = [p.astype(bool) for p in parts]
                expected = combine.reduce(np.stack(parts))
                x = tensor(rank, n, dtype)
                dist.all_reduce(x, dist.ReduceOp(op))
                same(x, expected, (dtype, op, n))
                x = tensor(rank, n, dtype)
                dist.reduce(x, size - 1, dist.ReduceOp(op))
                same(x, expected if rank == size - 1 else parts[rank], ("reduce", dtype, op, n))
    return True


def average(dist, rank, size):
    x = ow.full((1000,), float(rank))
    dist.all_reduce(x, dist.ReduceOp.AVG)
    assert set(x.tolist()) == {(size - 1) / 2}
    first, second = ow.ones(3), ow.full((2, 2), rank * 1.0)
    dist.all_reduce_coalesced([first, second])
    assert first.tolist() == [size] * 3
    assert second.tolist() == [[size * (size - 1) / 2] * 2] * 2
    return x.tolist()[:1]


def movements(dist, rank, size):
    ranks = range(size)
    for dtype in DTYPES:
        for n in SIZES:
            x = tensor(rank, n, dtype)
            dist.broadcast(x, size - 1)
            same(
                x,
                tensor(size - 1, n, dtype).numpy() if dtype != "bfloat16" else values(size - 1, n),
                "broadcast",
            )
            outs = [ow.empty(n + r, dtype=getattr(ow, dtype)) for r in ranks]  # uneven
            dist.all_gather(outs, tensor(rank, n + rank, dtype))
            for r in ranks:
                assert bool((outs[r] == tensor(r, n + r, dtype)).all()), ("all_gather", dtype, n)
            together = ow.empty(size * n, dtype=getattr(ow, dtype))
            dist.all_gather_into_tensor(together, tensor(rank, n, dtype))
            assert bool((together == ow.cat([tensor(r, n, dtype) for r in ranks])).all())
            dist.gather(tensor(rank, n + rank, dtype), outs if rank == 0 else None, dst=0)
            ins = [tensor(rank, n + r, dtype, salt=r) for r in ranks]
            got = ow.empty(n + rank, dtype=getattr(ow, dtype))
            dist.scatter(got, ins if rank == size - 1 else None, src=size - 1)
            assert bool((got == tensor(size - 1, n + rank, dtype, salt=rank)).all()), (
                "scatter",
                dtype,
                n,
            )
            outs = [ow.empty(n + rank, dtype=getattr(ow, dtype)) for _ in ranks]
            dist.all_to_all(outs, ins)
            for r in ranks:
                assert bool((outs[r] == tensor(r, n + rank, dtype, salt=rank)).all()), (
                    "all_to_all",
                    dtype,
                    n,
                )
    return True


def scattered_sums(dist, rank, size):
    for n in SIZES:
        parts = [tensor(rank, n, "float32", salt=r) for r in range(size)]
        got = ow.empty(n)
        expected = sum(values(r, n, salt=rank) for r in range(size))
        dist.reduce_scatter(got, parts)
        same(got, expected, n)
        dist.reduce_scatter_tensor(got.zero_(), ow.cat(parts))
        same(got, expected, n)
    single = ow.empty(sum(r + rank for r in range(size)), 2)
    dist.all_to_all_single(
        single,
        ow.full((sum(rank + r for r in range(size)), 2), float(rank)),
        [r + rank for r in range(size)],
        [rank + r for r in range(size)],
    )
    assert single[:, 0].tolist() == [float(r) for r in range(size) for _ in range(r + rank)]
    return True


def letters(dist, rank, size):
    right, left = (rank + 1) % size, (rank - 1) % size
    for n in (*SIZES, 1_000_000):  # larger than a mailbox: all send before anybody receives
        out, x = ow.empty(n), ow.full((n,), float(rank))
        works = dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, x, right), dist.P2POp(dist.irecv, out, left)]
        )
        assert all(work.wait() for work in works)
        assert bool((out == left).all())
    if rank == 0:
        dist.send(ow.ones(2), 1, tag=5)
        dist.send(ow.zeros(3), 1, tag=6)
        sources = {dist.recv(x := ow.empty(1)) for _ in range(size - 1)}
        assert sources == set(range(1, size))
        return True
    if rank == 1:
        later, sooner = ow.empty(3), ow.empty(2)
        dist.recv(later, 0, tag=6)  # in another order than they were sent
        dist.recv(sooner, 0, tag=5)
        assert later.tolist() == [0] * 3
        assert sooner.tolist() == [1, 1]
    dist.send(ow.ones(1), 0)
    return True


def later(dist, rank, size):
    tensors = [ow.full((1000,), float(rank + i)) for i in range(50)]
    works = [dist.all_reduce(t, async_op=True) for t in tensors]
    for i, (work, t) in enumerate(zip(works, tensors, strict=True)):
        assert work.wait()
        assert work.is_completed()
        assert work.is_success()
        assert work.exception() is None
        assert work.result()[0].data_ptr() == t.data_ptr()
        assert t[0].item() == sum(r + i for r in range(size))
    x = ow.ones(2, requires_grad=True)
    y = x * 2
    z = y * y
    dist.all_reduce(y.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    return True


def groups(dist, rank, size):
    even = dist.new_group(list(range(0, size, 2)))
    if rank % 2:
        assert even == dist.GroupMember.NON_GROUP_MEMBER
        assert dist.get_rank(even) == -1
        assert dist.all_reduce(ow.ones(1), group=even) is None
    else:
        x = ow.full((3,), float(rank))
        dist.all_reduce(x, group=even)
        assert x[0].item() == sum(range(0, size, 2))
        assert dist.get_world_size(even) == (size + 1) // 2
        assert dist.get_process_group_ranks(even) == list(range(0, size, 2))
        assert dist.get_global_rank(even, 1) == 2
        assert dist.get_group_rank(even, 2) == 1
        dist.broadcast(x, 2, group=even)
    with pytest.raises(ValueError, match="initialize the default process group twice"):
        dist.init_process_group("shm", init_method="file:///nowhere", rank=0, world_size=1)
    dist.barrier()
    return True


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "function", [reductions, movements, scattered_sums, average], ids=lambda f: f.__name__
)
def test_values(function, size, backend, tmp_path):
    results = run(function, size, tmp_path, backend=backend)
    assert len(results) == size
    assert all(results)


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("function", [letters, later, groups], ids=lambda f: f.__name__)
def test_order(function, backend, tmp_path):
    assert run(function, 4, tmp_path, backend=backend) == [True] * 4
