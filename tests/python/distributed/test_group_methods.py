"""Groups as PyTorch's users handle them: methods that are collectives, backends as objects."""

import os
import signal
import time
from datetime import timedelta

import opweave as ow
import opweave.distributed as dist
import pytest
from opweave.distributed._group_methods import WorkResult
from support.ranks import Ranks, run


@pytest.fixture(name="alone")
def group_of_one():
    yield lambda backend: dist.init_process_group(
        backend, store=dist.HashStore(), rank=0, world_size=1
    )
    if dist.is_initialized():
        dist.destroy_process_group()


def called(dist, rank, size):
    pg, out = dist.group.WORLD, {}
    x = ow.full([2], rank + 1.0)
    assert pg.allreduce([x]).wait()
    out["allreduce"] = x.tolist()
    options = dist.AllreduceOptions()
    options.reduceOp, options.timeout = dist.ReduceOp.MAX, timedelta(seconds=9)
    y = ow.tensor([rank])
    pg.allreduce([y], options).wait()
    pg.allreduce(y, dist.ReduceOp.SUM, timedelta(seconds=9)).wait()
    out["options"] = y.tolist()
    z = ow.tensor([rank])
    options = dist.BroadcastOptions()
    options.rootRank = 1
    pg.broadcast([z], options).wait()
    pg.broadcast(z, 1).wait()
    out["broadcast"] = z.tolist()
    parts = [ow.zeros(1) for _ in range(size)]
    pg.allgather([parts], [ow.full([1], float(rank))]).wait()
    out["allgather"] = [p.item() for p in parts]
    joined = ow.zeros(size)
    pg._allgather_base(joined, ow.full([1], float(rank))).wait()
    out["_allgather_base"] = joined.tolist()
    mine = ow.zeros(1)
    pg.reduce_scatter([mine], [[ow.full([1], float(r)) for r in range(size)]]).wait()
    out["reduce_scatter"] = mine.item()
    pg._reduce_scatter_base(mine, ow.ones(size)).wait()
    out["_reduce_scatter_base"] = mine.item()
    swapped = ow.zeros(size)
    pg.alltoall_base(swapped, ow.arange(size).float() + 10 * rank, [], []).wait()
    out["alltoall"] = swapped.tolist()
    pg.gather([parts] if rank == 0 else [], [ow.full([1], rank + 5.0)], 0).wait()
    out["gather"] = [p.item() for p in parts] if rank == 0 else None
    pg.scatter([mine], [parts] if rank == 0 else [], 0).wait()
    out["scatter"] = mine.item()
    if rank == 0:
        pg.send([mine], 1, 7).wait()
    elif rank == 1:
        work = pg.recv_anysource([mine], 7)
        work.wait()
        out["source"] = [work.source_rank(), mine.item()]
    pg.reduce([mine], 0).wait()
    work = pg.barrier()
    out["result"] = int(work.get_future_result().wait())
    work.synchronize()
    assert work._get_duration() >= 0
    return out


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_methods_are_collectives(backend, tmp_path):
    zero, one = run(called, 2, tmp_path, backend=backend)
    for out in (zero, one):
        assert out["allreduce"] == [3, 3]
        assert out["options"] == [2]
        assert out["broadcast"] == [1]
        assert out["allgather"] == out["_allgather_base"] == [0, 1]
        assert out["result"] == 0
    assert [zero["reduce_scatter"], one["reduce_scatter"]] == [0, 2]
    assert zero["_reduce_scatter_base"] == one["_reduce_scatter_base"] == 2
    assert [zero["alltoall"], one["alltoall"]] == [[0, 10], [1, 11]]
    assert zero["gather"] == [5, 6]
    assert [zero["scatter"], one["scatter"]] == [5, 6]
    assert one["source"] == [0, 5]


def test_wrong_arguments_are_named(alone):
    alone("shm")
    pg, x = dist.group.WORLD, ow.ones(2)
    with pytest.raises(TypeError, match=r"ProcessGroup.broadcast\(\): opts: expected options"):
        pg.broadcast([x], opts=3)
    with pytest.raises(
        TypeError, match=r"ProcessGroup.allreduce\(\): timeout: expected a timedelta"
    ):
        pg.allreduce([x], dist.ReduceOp.SUM, 3)
    with pytest.raises(ValueError, match=r"ProcessGroup.allgather\(\): expected one tensor, got 2"):
        pg.allgather([[x]], [x, x])
    with pytest.raises(ValueError, match=r"ReduceOp: expected one of sum, avg, .*bxor, got 'mean'"):
        dist.ReduceOp("mean")


def test_reductions_and_their_old_name():
    assert isinstance(dist.ReduceOp.SUM, dist.ReduceOp)
    assert list(dist.ReduceOp) == ["sum", "avg", "product", "min", "max", "band", "bor", "bxor"]
    with pytest.warns(FutureWarning, match="please use `ReduceOp` instead"):
        assert dist.reduce_op.MAX is dist.ReduceOp.MAX


def test_backends_as_objects(alone):
    alone("cpu:gloo,meta:fake")
    pg = dist.group.WORLD
    gloo = pg._get_backend(ow.device("cpu"))
    assert isinstance(gloo, dist.ProcessGroupGloo)
    assert gloo is dist.get_backend_impl(device="cpu")
    assert (gloo.name(), gloo.rank(), gloo.size()) == ("gloo", 0, 1)
    assert gloo.options.global_ranks_in_group == [0]
    assert gloo.allreduce([ow.ones(2)]).wait()
    assert pg.get_backend("meta").name() == "fake"
    assert (pg.group_desc, pg.bound_device_id) == ("default_pg", None)
    with pytest.raises(ValueError, match="pass the device argument to select one"):
        dist.get_backend_impl(pg)
    with pytest.raises(RuntimeError, match="No backend type associated with device type cuda"):
        pg.get_backend("cuda")
    pair = dist.new_group([0], group_desc="pair")
    assert pair.group_desc == "pair"
    assert isinstance(dist.get_backend_impl(pair.group_name, "cpu"), dist.ProcessGroupGloo)
    pair.shutdown()


def test_a_backend_of_its_own():
    own = dist.ProcessGroupGloo(dist.HashStore(), 0, 1, timedelta(seconds=9))
    x = ow.ones(2)
    own.allreduce([x]).wait()
    assert x.tolist() == [1, 1]
    own.shutdown()


def test_configurations():
    assert str(dist.BackendConfig("gloo")) == "cpu:gloo,cuda:gloo"
    pairs = dist.BackendConfig("cpu:gloo,cuda:fake").get_device_backend_map()
    assert pairs == {"cpu": "gloo", "cuda": "fake"}
    assert dist.get_default_backend_for_device("cpu") == "gloo"
    assert dist.get_default_backend_for_device("cuda:1") == "nccl"
    with pytest.raises(ValueError, match="Default backend not registered for device : meta"):
        dist.get_default_backend_for_device("meta")


def coalesced(dist, rank, size):
    outputs = [[ow.zeros(1), ow.zeros(2)] for _ in range(size)]
    dist.all_gather_coalesced(outputs, [ow.full([1], rank + 1.0), ow.full([2], rank + 3.0)])
    with dist.record_comm("mine"):
        dist.barrier()
    names = [entry["profiling_name"] for entry in dist.trace.flight_record()["entries"]]
    backwards = dist.new_group([1, 0], sort_ranks=False)
    op = dist.P2POp(dist.isend, ow.ones(2), group_peer=1 - rank)
    said = [op.peer, op.group_peer, str(op).startswith("P2POp(isend pg=world, group_src=")]
    return [[t.tolist() for part in outputs for t in part], names[-1], backwards.rank(), said]


def test_coalesced_and_named(tmp_path):
    for rank, (found, name, backwards, said) in enumerate(run(coalesced, 2, tmp_path)):
        assert found == [[1], [3, 3], [2], [4, 4]]
        assert name == "mine"
        assert backwards == 1 - rank
        assert said == [1 - rank, 1 - rank, True]


def made_by_some(dist, rank, size):
    """Groups that only their ranks call for, between those that all do."""
    sums = []
    for _ in range(2):
        if rank != 2:
            pair = dist.new_group([0, 1], use_local_synchronization=True)
            sums.append(ow.tensor([rank + 1]))
            dist.all_reduce(sums[-1], group=pair)
        sums.append(ow.tensor([rank + 1]))
        dist.all_reduce(sums[-1], group=dist.new_group())
    return [x.item() for x in sums]


def test_groups_that_only_their_ranks_make(tmp_path):
    assert run(made_by_some, 3, tmp_path) == [[3, 6, 3, 6], [3, 6, 3, 6], [6, 6]]


def late(dist, rank, size):
    if rank == 1:
        time.sleep(0.9)
        return None
    work = dist.group.WORLD.barrier(timeout=timedelta(seconds=0.3))
    return [int(work.get_future_result().wait()), str(work.exception())]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_a_future_says_that_time_was_over(backend, tmp_path):
    result, text = run(late, 2, tmp_path, backend=backend)[0]
    assert "rank 1 did not come in time" in text
    assert result == WorkResult.TIMEOUT


def ended(dist, rank, size):
    if rank == 1:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    work = dist.group.WORLD.barrier(timeout=timedelta(seconds=9))
    return int(work.get_future_result().wait())


def test_a_future_says_that_a_rank_has_ended(tmp_path):
    assert Ranks(ended, 2, tmp_path).wait()[0] == WorkResult.COMM_ERROR


def shrunk(dist, rank, size):
    if rank == 1:
        return None
    left = dist.shrink_group([1], shrink_flags=1)
    x = ow.tensor([rank])
    dist.all_reduce(x)
    again = dist.new_group([0, 1])
    dist.barrier(again)
    return [dist.get_rank(), dist.get_world_size(), left is dist.group.WORLD, x.item()]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_a_group_without_a_rank(backend, tmp_path):
    results = run(shrunk, 3, tmp_path, backend=backend)
    assert results == [[0, 2, True, 2], None, [1, 2, True, 2]]


@pytest.mark.parametrize(
    ("ranks", "kind", "text"),
    [
        (1, TypeError, "ranks_to_exclude must be a list, but got int"),
        ([], ValueError, "expected some, not all, different ranks of a group of 1"),
        ([0], ValueError, "expected some, not all"),
        ([3], ValueError, r"ranks of a group of 1, got \[3\]"),
    ],
)
def test_ranks_that_cannot_go(ranks, kind, text, alone):
    alone("shm")
    with pytest.raises(kind, match=text):
        dist.shrink_group(ranks)
