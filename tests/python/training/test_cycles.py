"""Models that are dropped are gone, also where a hook knows them."""

import gc
import weakref

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.optim import ScheduledOptimizer, ZeroRedundancyOptimizer
from support.ranks import run


def hooked(model):
    def hook(state, bucket):
        future = ow.futures.Future()
        future.set_result(bucket.buffer())
        assert model is not None  # a hook that knows the model
        return future

    model.register_comm_hook(None, hook)


def sharded(model):
    optimizer = ZeroRedundancyOptimizer(model.parameters(), ow.optim.SGD, lr=0.1)
    optimizer.shard_gradients(model)
    return optimizer


def scheduled(model):
    return ScheduledOptimizer(ow.optim.SGD(model.parameters(), lr=0.1), model)


def timeline(model):
    return ow.distributed.trace.TrainingTimeline(model)


KINDS = {
    "plain": lambda model: None,
    "hook": hooked,
    "zero": sharded,
    "scheduled": scheduled,
    "timeline": timeline,
}


def dropped(dist, rank, size, kind):
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2), gradient_as_bucket_view=True)
    with_it = KINDS[kind](model)
    model(ow.ones(1, 3)).sum().backward()
    if kind == "scheduled":
        with_it.close()
    watched = [weakref.ref(o) for o in (model, model.module, with_it) if o is not None]
    del model, with_it
    for _ in range(3):
        gc.collect()
    return [ref() is None for ref in watched]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_dropped_is_gone(tmp_path, kind):
    assert set(run(dropped, 1, tmp_path, kind=kind)[0]) == {True}


def kept(dist, rank, size):
    """The outputs of a model alone still have its hook."""
    calls = []

    def made():
        model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))

        def hook(state, bucket):
            calls.append(model.training)
            future = ow.futures.Future()
            future.set_result(bucket.buffer())
            return future

        model.register_comm_hook(None, hook)
        return model(ow.ones(1, 3)).sum()

    loss = made()
    for _ in range(3):
        gc.collect()
    loss.backward()
    return calls


def test_outputs_keep_the_hook(tmp_path):
    assert run(kept, 1, tmp_path) == [[True]]
