"""Forward and backward passes in other orders than one after another."""

import contextlib

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run


def model_of(cls=None, **options):
    ow.manual_seed(3)
    return nn.parallel.DistributedDataParallel((cls or Two)(), **options)


class Two(nn.Module):
    """Two layers, of which a call may leave out one."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x, first=True, second=True):
        x = self.first(x) if first else x
        return self.second(x) if second else x


def gradients(model):
    return [p.grad.flatten().tolist() if p.grad is not None else None for p in model.parameters()]


def without_gradients_between(dist, rank, size):
    model = model_of()
    for _ in range(3):
        y = model(ow.full((2, 3), rank + 1.0))
        with ow.no_grad():
            model(ow.ones(1, 3))
        y.square().sum().backward()
    return gradients(model)


def test_a_forward_pass_without_gradients_in_between(tmp_path):
    first, second = run(without_gradients_between, 2, tmp_path)
    assert first == second


def summed_up(dist, rank, size, views):
    """`first` is used under no_sync alone, and then by nobody."""
    options = {"find_unused_parameters": True, "gradient_as_bucket_view": views}
    model = model_of(**options)
    model(ow.ones(2, 3)).sum().backward()
    model.zero_grad()
    with model.no_sync():
        model(ow.full((2, 3), rank + 1.0)).sum().backward()
    model(ow.full((2, 3), 1.0), first=False).sum().backward()
    return gradients(model)


@pytest.mark.parametrize("views", [False, True])
def test_parameters_that_only_no_sync_used(tmp_path, views):
    first, second = run(summed_up, 2, tmp_path, views=views)
    assert first == second
    ow.manual_seed(3)
    single = Two()
    for rank in range(2):
        single(ow.full((2, 3), rank + 1.0)).sum().backward()
        single(ow.full((2, 3), 1.0), first=False).sum().backward()
    for got, p in zip(first, single.parameters(), strict=True):
        assert got == pytest.approx([v / 2 for v in p.grad.flatten().tolist()], rel=1e-5)


def dropped(dist, rank, size):
    ow.manual_seed(3)
    model = Two()
    nn.parallel.DistributedDataParallel(model)(ow.full((2, 3), rank + 1.0)).sum().backward()
    return gradients(model)


def test_a_wrapper_that_is_dropped(tmp_path):
    first, second = run(dropped, 2, tmp_path)
    assert first == second


def probes(dist, rank, size):
    model = model_of()
    for step in range(3):
        if rank == 1 and step == 1:
            model(ow.ones(1, 3))  # without a backward pass
        model(ow.full((2, 3), rank + step + 1.0)).sum().backward()
    return gradients(model)


def test_a_forward_pass_on_one_rank_alone(tmp_path):
    first, second = run(probes, 2, tmp_path)
    assert first == second


def uses_nothing(dist, rank, size):
    model = model_of(find_unused_parameters=True)
    x = ow.full((2, 3), rank + 1.0).requires_grad_()
    use = rank == 0
    for _ in range(2):
        model(x * 1.0, first=use, second=use).sum().backward()
    return gradients(model)


def test_a_rank_that_uses_no_parameter(tmp_path):
    first, second = run(uses_nothing, 2, tmp_path, timeout=5)
    assert first == second
    assert None not in first


def asks(dist, rank, size):
    seen = []
    model = model_of()

    def hook(state, bucket):
        seen.append(model.statistics()["buckets"])
        future = ow.futures.Future()
        future.set_result(bucket.buffer())
        return future

    model.register_comm_hook(None, hook)
    model(ow.ones(2, 3)).sum().backward()
    return len(seen)


def test_a_hook_that_asks_for_statistics(tmp_path):
    assert run(asks, 1, tmp_path) == [1]


def hook_fails_late(dist, rank, size):
    model = model_of()

    def hook(state, bucket):
        future = ow.futures.Future()
        future.set_result(ow.ones(3) if rank == 1 else bucket.buffer())
        if rank == 0:
            work = dist.all_reduce(bucket.buffer(), async_op=True)
            return work.get_future()
        return future

    model.register_comm_hook(None, hook)
    with pytest.raises(RuntimeError) as caught:
        model(ow.ones(2, 3)).sum().backward()
    return str(caught.value)


def test_what_fails_while_gradients_are_reduced_ends_the_group(tmp_path):
    first, second = run(hook_fails_late, 2, tmp_path)
    assert "rank 1 could not reduce its gradients: communication hook: expected a tensor" in first
    assert second.startswith("communication hook: expected a tensor of 20 elements")


def two_before_one(dist, rank, size, trains):
    """The second forward pass makes buffers equal that the first one's graph has saved."""
    ow.manual_seed(3)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    model = nn.parallel.DistributedDataParallel(net).train(trains)
    x = ow.randn(5, 3, generator=ow.Generator().manual_seed(rank))
    (model(x).square().sum() + model(x * 2).square().sum()).backward()
    return gradients(model)


@pytest.mark.parametrize("trains", [False, True])
def test_two_forward_passes_with_buffers(tmp_path, trains):
    first, second = run(two_before_one, 2, tmp_path, trains=trains)
    assert first == second
    assert None not in first


def in_between(dist, rank, size, first):
    """A pass under no_sync between forward and backward of another; its backward pass before or after."""
    model = model_of()
    x = ow.full((2, 3), rank + 1.0)
    y = model(x)
    with model.no_sync():
        z = model(x * 10)
        if first == "inner":
            z.sum().backward()
            inner = gradients(model)
    y.sum().backward()
    if first == "outer":
        return [gradients(model)]
    return [gradients(model), inner]


@pytest.mark.parametrize("first", ["outer", "inner"])
def test_a_pass_under_no_sync_before_the_backward_pass_of_another(tmp_path, first):
    """The gradients of the other are reduced, with what no_sync has summed up by then."""
    (first_rank, *inner), (second_rank, *others) = run(in_between, 2, tmp_path, first=first)
    assert first_rank == second_rank
    ow.manual_seed(3)
    single = Two()
    for rank in range(2):
        x = ow.full((2, 3), rank + 1.0)
        (single(x).sum() / 2).backward()
        if first == "inner":
            (single(x * 10).sum() / 2).backward()
    for got, expected in zip(first_rank, gradients(single), strict=True):
        assert got == pytest.approx(expected, rel=1e-5)
    assert first == "outer" or inner != others  # which stay what they are on each rank


def unfinished(dist, rank, size, local):
    """Rank 1 leaves out a parameter; the next pass says so before it calls a collective."""

    class WithBuffer(Two):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", ow.zeros(1))

    model = model_of(WithBuffer)
    model(ow.ones(2, 3)).sum().backward()
    with contextlib.suppress(dist.DistBackendError):
        model(ow.ones(2, 3), first=rank == 0).sum().backward()
    if rank == 0:  # whose backward pass cannot end
        return None
    calls = []
    broadcast = dist.broadcast
    dist.broadcast = lambda *given, **named: calls.append(1) or broadcast(*given, **named)
    with pytest.raises(RuntimeError) as caught, model.no_sync() if local else _nothing():
        model(ow.ones(2, 3))
    dist.broadcast = broadcast
    return [str(caught.value), len(calls)]


_nothing = contextlib.nullcontext


@pytest.mark.parametrize("local", [False, True])
def test_a_pass_that_has_not_ended(tmp_path, local):
    _, (text, calls) = run(unfinished, 2, tmp_path, local=local, timeout=4)
    assert text.startswith(
        "Expected to have finished reduction in the prior iteration before starting a new one. Parameters "
        "without a gradient on rank 1: first.weight, first.bias. If the outputs do not depend on them"
    )
    assert calls == 0


# What PyTorch 2.15 makes of the buffer of rank 1 in these passes: 1 where it becomes rank 0's.
PASSES = {
    "trains": 1,
    "no_grad": 1,
    "no_grad again": 2,
    "trains after no_grad": 2,
    "trains again": 1,
    "no_sync": 1,
    "no_sync again": 2,
    "trains after no_sync": 2,
    "trains at last": 1,
}


def buffers(dist, rank, size):
    class WithBuffer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 1)
            self.register_buffer("buffer", ow.zeros(1))

        def forward(self, x):
            return self.layer(x) + self.buffer

    model = model_of(WithBuffer)
    found = {}
    for name in PASSES:
        model.module.buffer.fill_(rank + 1.0)
        with (
            model.no_sync() if name.startswith("no_sync") else _nothing(),
            ow.set_grad_enabled(not name.startswith("no_grad")),
        ):
            y = model(ow.ones(1, 1))
        if y.requires_grad:
            y.sum().backward()
        found[name] = int(model.module.buffer.item())
    return found


def test_when_buffers_are_made_equal(tmp_path):
    first, second = run(buffers, 2, tmp_path)
    assert set(first.values()) == {1}
    assert second == PASSES
