"""Schedulers around the optimisers of several processes, in a group of one."""

import opweave
import pytest

S = opweave.optim.lr_scheduler


@pytest.fixture(name="alone")
def a_group_of_one():
    dist = opweave.distributed
    dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def scheduled_run(wrap):
    """The weights of a model after some steps of the optimiser that `wrap` makes, with a schedule."""
    opweave.manual_seed(3)
    model = opweave.nn.parallel.DistributedDataParallel(
        opweave.nn.Sequential(opweave.nn.Linear(3, 4), opweave.nn.Tanh(), opweave.nn.Linear(4, 1)),
        gradient_as_bucket_view=True,
    )
    optimizer = wrap(model)
    scheduler = S.SequentialLR(
        optimizer,
        [S.LinearLR(optimizer, 0.1, total_iters=3), S.CosineAnnealingLR(optimizer, 5)],
        [3],
    )
    for step in range(8):
        optimizer.zero_grad()
        model(opweave.ones(2, 3) * step).square().mean().backward()
        optimizer.step()
        scheduler.step()
    getattr(optimizer, "synchronize", lambda: None)()
    return [p.tolist() for p in model.parameters()]


def test_optimizers_of_several_processes(alone):
    from opweave.distributed.optim import ScheduledOptimizer, ZeroRedundancyOptimizer

    sgd = opweave.optim.SGD

    def plain(model):
        return sgd(model.parameters(), lr=0.1, momentum=0.9)

    def zero(model):
        return ZeroRedundancyOptimizer(model.parameters(), sgd, lr=0.1, momentum=0.9)

    expected = scheduled_run(plain)
    assert scheduled_run(zero) == expected
    assert scheduled_run(lambda m: ScheduledOptimizer(plain(m), m)) == expected
