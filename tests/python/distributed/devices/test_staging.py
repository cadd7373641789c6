"""Tensors of a device on backends of the host: through pinned memory, in order with its streams."""

import ctypes
import os
import sys

import opweave as ow
import pytest
from support.ranks import Ranks, run

sys.path.insert(0, os.path.dirname(__file__))
from heap import on_heap, serve


def everything(dist, rank, size):
    library = serve()
    seen = {}
    x = on_heap([float(rank)] * 4, rank)
    library.heap_target_sleep(rank, ctypes.c_int64(0), 50)
    y = -x  # behind the delay
    dist.all_reduce(y)
    seen["all_reduce"] = y.tolist()
    seen["device"] = str(y.device)
    dist.broadcast(x, 1)
    seen["broadcast"] = x.tolist()
    parts = [on_heap([-1, -1], rank) for _ in range(size)]
    dist.all_gather(parts, on_heap([rank, 10 * rank], rank))
    seen["all_gather"] = [p.tolist() for p in parts]
    total = on_heap([0, 0], rank)
    dist.reduce_scatter(total, [on_heap([rank, r], rank) for r in range(size)])
    seen["reduce_scatter"] = total.tolist()
    work = dist.all_reduce(y, async_op=True)
    future = work.get_future().then(lambda f: f.value()[0].tolist())
    seen["future"] = future.wait()
    if rank == 0:
        dist.send(on_heap([1.5, 2.5], 0), 1)
    else:
        got = on_heap([0.0, 0.0], rank)
        dist.recv(got, 0)
        seen["recv"] = got.tolist()
    empty = ow.empty(0, device=f"heap_target:{rank}")
    dist.all_reduce(empty)
    statistics = dist.staging_statistics()
    seen["collectives"] = statistics["collectives"]
    seen["record"] = dist.trace.flight_record()["pg_status"]["world"]["staged"]
    seen["bytes"] = statistics["bytes"]
    return seen


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_collectives_of_a_device(tmp_path, backend):
    for rank, seen in enumerate(run(everything, 2, tmp_path, backend=backend)):
        assert seen["all_reduce"] == [-1.0] * 4
        assert seen["device"] == f"heap_target:{rank}"
        assert seen["broadcast"] == [1.0] * 4
        assert seen["all_gather"] == [[0, 0], [1, 10]]
        assert seen["reduce_scatter"] == [1, 2 * rank]
        assert seen["future"] == [-2.0] * 4
        assert seen.get("recv", [1.5, 2.5]) == [1.5, 2.5]
        assert seen["collectives"] == 7
        assert seen["record"] == {"collectives": 7, "nbytes": seen["bytes"]}


def gradients(dist, rank, size):
    serve()
    x = on_heap([1.0, 2.0], rank).requires_grad_()
    from opweave.distributed.nn.functional import all_reduce

    (all_reduce(x) * (rank + 1)).sum().backward()
    return x.grad.tolist()


def test_gradients(tmp_path):
    assert run(gradients, 2, tmp_path, backend="gloo") == [[3.0, 3.0]] * 2


def killed(dist, rank, size):
    serve()
    dist.barrier()
    if rank == 1:
        os._exit(9)
    with pytest.raises(dist.DistBackendError, match=r"rank 1 .* has ended"):
        dist.all_reduce(on_heap([1.0], rank))
    return True


def test_a_rank_that_ends(tmp_path):
    assert Ranks(killed, 2, tmp_path, backend="gloo").wait()[0] is True


def test_tensors_without_data_are_refused(tmp_path):
    store = ow.distributed.FileStore(str(tmp_path / "store"), 1)
    ow.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        with pytest.raises(RuntimeError, match="meta"):
            ow.distributed.all_reduce(ow.empty(3, device="meta"))
        assert ow.distributed.staging_statistics() == {"collectives": 0, "bytes": 0}
    finally:
        ow.distributed.destroy_process_group()
