"""NCCL itself, as far as one device shows it: a group of one process."""

import opweave as ow
import pytest

pytestmark = pytest.mark.skipif(not ow.cuda.is_available(), reason="there is no cuda device")


@pytest.fixture
def group():
    import opweave.distributed as dist

    dist.init_process_group(
        "cpu:gloo,cuda:nccl", store=dist.HashStore(), rank=0, world_size=1, device_id="cuda:0"
    )
    yield dist
    dist.destroy_process_group()


def on_device(values, dtype=None):
    return ow.tensor(values, dtype=dtype).to("cuda")


@pytest.mark.parametrize(
    "name", ["float32", "float64", "float16", "bfloat16", "int32", "int64", "bool"]
)
def test_reductions(group, name):
    x = on_device([0, 1, 3], getattr(ow, name))
    before = x.tolist()
    for op in (group.ReduceOp.SUM, group.ReduceOp.MAX, group.ReduceOp.MIN):
        group.all_reduce(x, op)
    assert x.tolist() == before


def test_what_moves_tensors(group):
    x = on_device([1.0, 2.0])
    parts = [on_device([0.0, 0.0])]
    group.all_gather(parts, x)
    assert parts[0].tolist() == [1.0, 2.0]
    total = on_device([0.0, 0.0])
    group.reduce_scatter(total, [x])
    assert total.tolist() == [1.0, 2.0]
    group.broadcast(x, 0)
    work = group.all_reduce(x, async_op=True)
    assert work.get_future().then(lambda f: f.value()[0].tolist()).wait() == [1.0, 2.0]
    group.barrier()
    assert group.staging_statistics() == {"collectives": 0, "bytes": 0}


def test_parts(group):
    group.all_reduce(on_device([1.0]))
    part = group.split_group(split_ranks=[[0]])
    x = on_device([3.0])
    group.all_reduce(x, group=part)
    assert x.tolist() == [3.0]


def test_tensors_on_backends_of_the_host():
    import opweave.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        x = on_device([1.0, 2.0])
        dist.all_reduce(x)
        assert x.tolist() == [1.0, 2.0]
        assert dist.staging_statistics() == {"collectives": 1, "bytes": 16}
    finally:
        dist.destroy_process_group()
