"""Out of memory on one rank: all of them catch it, halve the batch, and train on."""

import resource
from pathlib import Path

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms.ddp_comm_hooks import default_hooks
from opweave.distributed.optim import ZeroRedundancyOptimizer
from support.ranks import run

WIDTH = 256


class Net(nn.Module):
    """Needs memory in proportion to the batch: 512 KiB for an example, 64 layers' worth."""

    def __init__(self, where):
        super().__init__()
        self.layer, self.where = nn.Linear(WIDTH, WIDTH), where

    def forward(self, x):
        x = self.layer(x)
        if self.where == "backward":
            return Greedy.apply(x)
        return x + greedy(x)


def greedy(x):
    return ow.ones(x.shape[0], 1 << 19).sum() * 0


class Greedy(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient + greedy(gradient)


def data(rank, step, n):
    return ow.randn(64, WIDTH, generator=ow.Generator().manual_seed(10 * rank + step))[:n]


def limit_memory(more):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, hard))


def with_extra(kind, model, group):
    """A hook, or an optimiser of several ranks, that has to go on in another group as well."""
    if kind.startswith("zero"):
        optimizer = ZeroRedundancyOptimizer(
            model.parameters(), ow.optim.SGD, process_group=group, lr=0.01
        )
        if kind == "zero2":
            optimizer.shard_gradients(model)
        return optimizer
    if kind == "fp16":
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    return ow.optim.SGD(model.parameters(), lr=0.01)


def train(dist, rank, size, where, kind="plain"):
    """A group for training beside that of all, which is not touched by what goes wrong in it."""
    ow.manual_seed(1)
    training = dist.new_group()
    model = nn.parallel.DistributedDataParallel(Net(where), process_group=training)
    optimizer = with_extra(kind, model, training)
    model(data(rank, 0, 1)).square().mean().backward()  # threads and buffers
    if rank == 1:
        limit_memory(80 << 20)
    step, n, caught = 0, 64, []
    while step < 4:
        optimizer.zero_grad()
        try:
            model(data(rank, step, n)).square().mean().backward()
        except (ow.OutOfMemoryError, dist.DistBackendError) as error:
            caught.append([type(error).__name__, str(error), n])
            dist.destroy_process_group(training)
        else:
            optimizer.step()
            step += 1
            continue
        n //= 2
        training = dist.new_group()
        model._update_process_group(training)
        if kind.startswith("zero"):
            optimizer._update_process_group(training)
    same = [None] * size
    dist.all_gather_object(same, [p.detach().sum().item() for p in model.parameters()])
    return [caught, n, same]


@pytest.mark.parametrize(
    ("backend", "kind"),
    [("shm", "plain"), ("gloo", "plain"), ("shm", "fp16"), ("shm", "zero1"), ("shm", "zero2")],
)
@pytest.mark.parametrize("where", ["forward", "backward"])
def test_the_batch_is_halved_until_it_fits(tmp_path, where, backend, kind):
    results = run(train, 3, tmp_path, backend=backend, where=where, kind=kind)
    for rank, (caught, n, same) in enumerate(results):
        assert [size for _, _, size in caught] == [64, 32][: len(caught)]
        assert n == 64 >> len(caught) < 64
        assert len(caught) == len(results[0][0])
        for kind, text, _ in caught:
            if rank == 1:
                assert kind == "OutOfMemoryError"
            else:
                assert kind == "DistBackendError"
                how = "raised" if where == "forward" else "raised in its backward pass:"
                assert f"rank 1 {how}" in text
                assert "tried to allocate" in text
        assert same[0] == same[1] == same[2]
