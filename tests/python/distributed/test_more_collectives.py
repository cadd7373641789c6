"""Barriers that say who is missing, collectives that are carried out together, and PyTorch's other names."""

import os
import time
from datetime import timedelta

import opweave as ow
import pytest
from support.ranks import run

BACKENDS = pytest.mark.parametrize("backend", ["shm", "gloo"])


def late(dist, rank, size, every):
    dist.monitored_barrier()
    if rank in (1, 3):
        time.sleep(1.5)
        return ""
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as error:
        dist.monitored_barrier(timeout=timedelta(seconds=0.5), wait_all_ranks=every)
    assert time.monotonic() - began < 1.5
    x = ow.ones(2)
    dist.all_reduce(x)  # the group goes on
    assert x.tolist() == [4, 4]
    return str(error.value)


@pytest.mark.parametrize("every", [False, True])
def test_a_barrier_names_who_is_missing(every, tmp_path):
    named = "ranks 1, 3" if every else "rank 1"
    for rank, text in enumerate(run(late_and_on, 4, tmp_path, every=every)):
        if rank in (0, 2):
            assert (
                text
                == f"monitored_barrier() number 2 of the group 'world': {named} did not come within 0.5s"
            )


def keys_of_barriers(dist, rank, size):
    store, counts = dist.group.WORLD.get_group_store(), []
    for _ in range(3):
        for _ in range(4):
            dist.monitored_barrier()
        dist.barrier()
        counts.append(store.num_keys())
        dist.barrier()
    return counts


def test_barriers_leave_no_keys(tmp_path):
    for counts in run(keys_of_barriers, 2, tmp_path):
        assert counts[0] == counts[1] == counts[2]


def late_and_on(dist, rank, size, every):
    text = late(dist, rank, size, every)
    if rank in (1, 3):
        x = ow.ones(2)
        dist.all_reduce(x)
    return text


def first_is_late(dist, rank, size):
    if rank == 0:
        time.sleep(3)
        return ""
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as error:
        dist.monitored_barrier(timeout=0.5)
    assert time.monotonic() - began < 1.5
    return str(error.value)


def test_a_barrier_without_the_first(tmp_path):
    text = run(first_is_late, 2, tmp_path)[1]
    assert (
        text == "monitored_barrier() number 1 of the group 'world': rank 0 did not come within 0.5s"
    )


def together(dist, rank, size):
    from opweave.distributed import trace

    xs = [ow.full((3,), float(i)) for i in range(4)]
    y, z = ow.ones(2, dtype=ow.float64), ow.ones(2)
    with dist._coalescing_manager():
        for x in xs:
            assert dist.all_reduce(x) is None
        dist.all_reduce(y)
        dist.all_reduce(z, dist.ReduceOp.MAX)
    assert [x.tolist() for x in xs] == [[i * size] * 3 for i in range(4)]
    assert y.tolist() == [size] * 2
    names = [len(e["output_sizes"]) for e in trace.flight_record()["entries"]]
    assert names == [4, 1, 1]  # one call for all of a kind
    out, part = ow.zeros(2 * size), ow.zeros(1)
    with dist._coalescing_manager(async_ops=True) as manager:
        dist.all_gather_into_tensor(out, ow.full((2,), float(rank)))
        dist.reduce_scatter_tensor(part, ow.ones(size))
    manager.wait()
    assert out.tolist() == [0, 0, 1, 1]
    assert part.tolist() == [size]
    with dist._coalescing_manager():
        with pytest.raises(ValueError, match="non-empty op list"):
            broken_off(dist)
        with pytest.raises(RuntimeError, match="objects cannot be collected"):
            dist.all_gather_object([None, None], 1)
        dist.barrier()
    with pytest.raises(KeyError):
        broken_off(dist)
    return True


def broken_off(dist):
    with dist._coalescing_manager():
        dist.barrier()  # is not carried out
        raise KeyError


@BACKENDS
def test_collectives_are_carried_out_together(backend, tmp_path):
    assert run(together, 2, tmp_path, backend=backend) == [True, True]


def names(dist, rank, size):
    whole = ow.zeros(2 * size) if rank == 1 else None
    dist.gather_single(ow.full((2,), float(rank)), whole, dst=1)
    assert whole is None or whole.tolist() == [0, 0, 1, 1]
    out = ow.zeros(size)
    dist.all_gather_single(out, ow.full((1,), float(rank)))
    part = ow.zeros(1)
    dist.reduce_scatter_single(part, ow.arange(2.0))
    assert dist.get_pg_count() == 1
    dist.set_timeout(timedelta(seconds=0.5))
    time.sleep(rank)
    with pytest.raises(dist.DistBackendError, match="rank 1 did not come in time"):
        dist.barrier()
    return [out.tolist(), part.tolist()]


def test_other_names(tmp_path):
    assert run(names, 2, tmp_path) == [[[0, 1], [0]], [[0, 1], [2]]]


def test_levels(monkeypatch):
    import opweave.distributed as dist

    monkeypatch.delenv("OPWEAVE_DISTRIBUTED_DEBUG", raising=False)
    monkeypatch.delenv("TORCH_DISTRIBUTED_DEBUG", raising=False)
    assert dist.get_debug_level() == dist.DebugLevel.OFF
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
    assert dist.get_debug_level() == dist.DebugLevel.DETAIL
    monkeypatch.setenv("OPWEAVE_DISTRIBUTED_DEBUG", "OFF")
    dist.set_debug_level(dist.DebugLevel.INFO)
    assert os.environ["OPWEAVE_DISTRIBUTED_DEBUG"] == "INFO"
    monkeypatch.setenv("OPWEAVE_DISTRIBUTED_DEBUG", "MUCH")
    with pytest.raises(ValueError, match="OFF, INFO, or DETAIL, got 'MUCH'"):
        dist.set_debug_level_from_env()


def test_the_rank_on_the_host(monkeypatch):
    import opweave.distributed as dist

    monkeypatch.delenv("LOCAL_RANK", raising=False)
    with pytest.raises(RuntimeError, match="LOCAL_RANK is not in the environment"):
        dist.get_node_local_rank()
    assert dist.get_node_local_rank(3) == 3
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert dist.get_node_local_rank(3) == 2
    assert dist.supports_complex(dist.ReduceOp.SUM)
    assert not dist.supports_complex(dist.ReduceOp.MAX)
