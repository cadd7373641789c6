"""The backend of NCCL from Python, on a library that stands in for it."""

import os
import re
import signal
import sys
import time
from datetime import timedelta

import opweave as ow
import pytest
from support.ranks import Ranks

sys.path.insert(0, os.path.dirname(__file__))
from heap import on_heap, serve, stand_in

# The library takes ranks of other processes as there; what they do together never ends.
ALONE = {"NCCL_STAND_IN_ALONE": "1"}


@pytest.fixture(scope="module")
def library():
    return stand_in()


@pytest.fixture
def alone(library):
    """A group of one process; the library."""
    library.nccl_stand_in_calls()
    dist = ow.distributed
    dist.init_process_group("stand_in", store=dist.HashStore(), rank=0, world_size=1)
    yield library
    dist.destroy_process_group()


def test_collectives(alone):
    dist = ow.distributed
    x = on_heap([1.0, 2.0])
    dist.all_reduce(x)
    assert x.tolist() == [1.0, 2.0]
    out = on_heap([[0.0, 0.0]])
    dist.all_gather_into_tensor(out, x)
    assert out.tolist() == [[1.0, 2.0]]
    work = dist.all_reduce(x, async_op=True)
    assert work.get_future().then(lambda f: f.value()[0].tolist()).wait() == [1.0, 2.0]
    dist.barrier()
    calls = alone.nccl_stand_in_calls().decode().splitlines()
    assert [c for c in calls if "Group" not in c] == [
        "ncclGetUniqueId",
        "ncclCommInitRankConfig rank 0 of 1",
        "ncclAllReduce 2 of type 7, op 0, root 0",
        "ncclAllGather 8 of type 1, op 0, root 0",
        "ncclAllReduce 2 of type 7, op 0, root 0",
        "ncclAllReduce 1 of type 1, op 2, root 0",
    ]
    entry = dist.trace.flight_record()["entries"][-1]
    assert entry["profiling_name"] == "stand_in:barrier"
    assert entry["state"] == "completed"


def test_objects_and_training_need_no_tensors_of_the_host(alone):
    dist = ow.distributed
    objects = [None]
    dist.all_gather_object(objects, {"a": ow.ones(2)})
    assert objects[0]["a"].tolist() == [1, 1]
    listed = ["x", 3]
    dist.broadcast_object_list(listed, 0)
    assert listed == ["x", 3]
    got = [None]
    dist.scatter_object_list(got, [[1, 2]], 0)
    assert got == [[1, 2]]
    model = ow.nn.parallel.DistributedDataParallel(
        ow.nn.Linear(2, 1).to("heap_target:0"), find_unused_parameters=True
    )
    for _ in range(3):
        model.zero_grad()
        model(on_heap([[1.0, 2.0]])).sum().backward()
    assert model.module.weight.grad.tolist() == [[1.0, 2.0]]
    assert dist.staging_statistics()["collectives"] == 0
    statistics = model.statistics()
    assert 0 <= statistics["hidden"] <= 1
    assert 0 < statistics["buckets"][0]["reduced"] < statistics["total"]


def test_a_work_that_fails_says_so(alone):
    dist = ow.distributed
    alone.nccl_stand_in_fail(b"ncclAllReduce", 2)
    work = dist.all_reduce(on_heap([1.0]), async_op=True)
    alone.nccl_stand_in_fail(b"ncclAllReduce", 0)
    assert isinstance(work.exception(), dist.DistBackendError)
    assert "ncclSystemError" in str(work.exception())


def test_parts_split_the_communicator(alone):
    dist = ow.distributed
    dist.all_reduce(on_heap([1.0]))
    part = dist.split_group(split_ranks=[[0]])
    x = on_heap([3.0])
    dist.all_reduce(x, group=part)
    assert x.tolist() == [3.0]
    calls = alone.nccl_stand_in_calls().decode()
    assert calls.count("ncclCommSplit color 0, key 0") == 1
    assert calls.count("ncclCommInitRankConfig") == 1
    assert dist.get_backend(part) == "stand_in"


def test_a_device_that_is_connected_at_once(library):
    dist = ow.distributed
    library.nccl_stand_in_calls()
    make = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    with pytest.raises(ValueError, match="device_id: expected a device with an index"):
        dist.init_process_group("stand_in", device_id="heap_target", **make)
    make["store"] = dist.HashStore()
    dist.init_process_group("stand_in", device_id=ow.device("heap_target:1"), **make)
    assert "ncclCommInitRankConfig" in library.nccl_stand_in_calls().decode()
    dist.destroy_process_group()
    assert "ncclCommDestroy" in library.nccl_stand_in_calls().decode()


@pytest.mark.parametrize("urgent", [False, True])
def test_streams_of_high_priority(library, urgent):
    dist, before = ow.distributed, serve().heap_target_urgent_streams()
    options = dist.ProcessGroupNCCL.Options(is_high_priority_stream=urgent)
    options.backend = "stand_in"
    make = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    dist.init_process_group("stand_in", pg_options=options, **make)
    dist.all_reduce(on_heap([1.0]))
    assert serve().heap_target_urgent_streams() == before + urgent
    dist.all_reduce(on_heap([1.0]), group=dist.split_group(split_ranks=[[0]]))
    assert serve().heap_target_urgent_streams() == before + 2 * urgent
    dist.destroy_process_group()


def test_names_and_limits():
    dist = ow.distributed
    assert dist.default_pg_nccl_timeout == timedelta(minutes=10)
    with pytest.raises(ValueError, match="there is a backend 'gloo' already"):
        dist.register_nccl_library("gloo", "libnccl.so.2", "cuda")
    make = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    if dist.is_nccl_available():
        with pytest.raises(dist.DistBackendError, match=r"^nccl: there is no cuda device"):
            dist.init_process_group("nccl", **make)
    else:
        with pytest.raises(RuntimeError, match="doesn't have NCCL built in: install NCCL"):
            dist.init_process_group("nccl", **make)
    assert not dist.is_initialized()


def hangs(dist, rank, size, meet, fault):
    """A collective that ends for nobody, while rank 1 fails."""
    stand_in()
    meet()
    dist.all_reduce(on_heap([1.0], rank), async_op=True)
    if rank == 1 and fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if rank == 1 and fault == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    began = time.monotonic()
    work = dist.all_reduce(on_heap([1.0], rank), async_op=True)
    with pytest.raises(dist.DistBackendError) as caught:
        work.wait(timedelta(seconds=20))
    seconds = time.monotonic() - began
    with pytest.raises(dist.DistBackendError):
        dist.all_reduce(on_heap([1.0], rank))
    dist.destroy_process_group()
    return [str(caught.value), seconds]


@pytest.mark.parametrize(
    ("fault", "text", "least", "most"),
    [("killed", r"rank 1 \(process \d+ on .*\) has ended", 0, 1), ("stopped", "in time", 1.5, 3)],
)
def test_a_rank_that_fails_within(tmp_path, fault, text, least, most):
    options = {"backend": "stand_in", "timeout": 2, "environment": ALONE, "meets": False}
    ranks = Ranks(hangs, 3, tmp_path, fault=fault, **options)
    if fault == "stopped":
        for rank in (0, 2):
            ranks.processes[rank].wait(timeout=30)
        ranks.processes[1].kill()
    results = ranks.wait()
    assert results[1] is None
    for rank in (0, 2):
        said, seconds = results[rank]
        assert "all_reduce(sum) of float32[1] (number" in said
        assert re.search(text, said), said
        assert least <= seconds <= most
