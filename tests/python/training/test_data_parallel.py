"""Data-parallel training: ranks stay equal, and equal to one process on all the data."""

import itertools
import os
import time

import opweave as ow
import pytest
from opweave import nn
from support.ranks import Ranks, run


class Net(nn.Module):
    """A convolution, a norm with buffers, and two layers."""

    def __init__(self, unused=False):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.hidden = nn.Linear(4 * 6 * 6, 32)
        self.out = nn.Linear(32, 5)
        if unused:
            self.never = nn.Linear(3, 3)
            self.sometimes = nn.Linear(5, 5)

    def forward(self, x, more=False):
        x = ow.relu(self.norm(self.conv(x)))
        x = self.out(ow.relu(self.hidden(x.flatten(1))))
        return self.sometimes(x) if more else x


class Plain(nn.Module):
    def __init__(self, sizes=(8, 16, 3)):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(a, b) for a, b in itertools.pairwise(sizes)])

    def forward(self, x):
        return self.layers(ow.tanh(x))


def data(seed, n, *sizes):
    g = ow.Generator().manual_seed(seed)
    return ow.randn(n, *sizes, generator=g)


def flat(model):
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def train(model, steps, batches, lr=0.05):
    optimizer = ow.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for step in range(steps):
        optimizer.zero_grad()
        x = batches(step)
        (model(x) ** 2).mean().backward()
        optimizer.step()


def equal_over_many_steps(dist, rank, size, options):
    ow.manual_seed(rank)  # rank 0's parameters are everybody's
    model = nn.parallel.DistributedDataParallel(Net(), **options)
    train(model, 200, lambda step: data(1000 * rank + step, 4, 1, 8, 8))
    return flat(model)


@pytest.mark.parametrize(
    "options",
    [{}, {"gradient_as_bucket_view": True}, {"bucket_cap_mb": 0.002}],
    ids=["plain", "views", "small"],
)
def test_ranks_stay_equal_to_the_bit(tmp_path, options):
    first, *others = run(equal_over_many_steps, 3, tmp_path, options=options)
    assert all(other == first for other in others)
    assert all(abs(v) < 100 for v in first)


def like_one_process(dist, rank, size, options):
    ow.manual_seed(7)
    model = nn.parallel.DistributedDataParallel(Plain(), **options)
    train(model, 20, lambda step: data(step, 4 * size, 8).chunk(size)[rank])
    return flat(model)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize(
    "options", [{}, {"bucket_cap_mb": 0.0001, "gradient_as_bucket_view": True}]
)
def test_ranks_are_one_process_on_all_data(tmp_path, size, options):
    ow.manual_seed(7)
    model = Plain()
    train(model, 20, lambda step: data(step, 4 * size, 8))
    expected = flat(model)
    for values in run(like_one_process, size, tmp_path, options=options):
        assert values == pytest.approx(expected, rel=1e-6, abs=1e-7)


def accumulates(dist, rank, size):
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Plain())
    single = Plain()
    single.load_state_dict(model.module.state_dict())
    with model.no_sync():
        (model(data(rank, 4, 8)) ** 2).sum().backward()
    alone = [p.grad.clone() for p in model.parameters()]
    (model(data(10 + rank, 4, 8)) ** 2).sum().backward()
    for r in range(size):
        (single(data(r, 4, 8)) ** 2).sum().backward()
        if r == rank:
            own = single
    for r in range(size):
        (single(data(10 + r, 4, 8)) ** 2).sum().backward()
    close = all(
        ow.allclose(a.grad, b.grad / size, rtol=1e-5, atol=1e-6)
        for a, b in zip(model.parameters(), single.parameters(), strict=True)
    )
    return [close, [g.sum().item() for g in alone], own is single]


def test_no_sync_sums_up_on_each_rank(tmp_path):
    results = run(accumulates, 2, tmp_path)
    assert [close for close, _, _ in results] == [True, True]
    assert results[0][1] != results[1][1]


def with_unused(dist, rank, size):
    ow.manual_seed(3)
    model = nn.parallel.DistributedDataParallel(Net(unused=True), find_unused_parameters=True)
    for step in range(3):
        (model(data(step + rank, 4, 1, 8, 8), more=rank == 0 and step == 1) ** 2).mean().backward()
        if step == 0:
            assert model.module.sometimes.weight.grad is None
    assert model.module.never.weight.grad is None
    return [p.grad.sum().item() for p in model.parameters() if p.grad is not None]


def test_unused_parameters(tmp_path):
    """One that a single rank uses has a gradient on all; one that nobody uses has none."""
    first, second = run(with_unused, 2, tmp_path)
    assert first == second
    assert len(first) == 10


def forgets_unused(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Net(unused=True))
    x = data(0, 2, 1, 8, 8)
    model(x).sum().backward()
    with pytest.raises(RuntimeError) as caught:
        model(x)
    return str(caught.value)


def test_unused_parameters_that_are_not_looked_for_have_names(tmp_path):
    for text in run(forgets_unused, 2, tmp_path):
        assert text.startswith("Expected to have finished reduction in the prior iteration")
        for name in ("never.weight", "never.bias", "sometimes.weight", "sometimes.bias"):
            assert name in text
        assert "conv.weight" not in text
        assert "find_unused_parameters=True" in text


def differs(dist, rank, size, how):
    sizes = (8, 16, 3)
    if rank == 1:
        sizes = (8, 17, 3) if how == "shape" else (8, 16, 3, 3)
    with pytest.raises(RuntimeError) as caught:
        nn.parallel.DistributedDataParallel(Plain(sizes))
    return str(caught.value)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (
            "shape",
            "they differ in the parameter 0: rank 0 has 'layers.0.weight' of shape [16, 8] and dtype "
            "opweave.float32, rank 1 has 'layers.0.weight' of shape [17, 8]",
        ),
        ("more", "rank 0 has 4 parameters and rank 1 has 6: rank 1 alone has 'layers.2.weight'"),
    ],
)
def test_models_that_differ_are_named(tmp_path, how, text):
    for said in run(differs, 3, tmp_path, how=how):
        assert said.startswith("DDP expects same model across all ranks, but ")
        assert text in said


def told(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Plain((64, 300, 300, 64)), bucket_cap_mb=0.1)
    for _ in range(2):
        model(data(rank, 8, 64)).sum().backward()
    return model.statistics()


def test_statistics_name_what_was_reduced(tmp_path):
    for statistics in run(told, 2, tmp_path):
        buckets = statistics["buckets"]
        names = [name for bucket in buckets for name in bucket["parameters"]]
        assert sorted(names) == sorted(
            f"layers.{i}.{n}" for i in range(3) for n in ("weight", "bias")
        )
        assert len(buckets) > 2
        assert "layers.2.weight" in buckets[0]["parameters"] + buckets[1]["parameters"]
        for bucket in buckets:
            assert 0 < bucket["ready"] <= bucket["reduced"] <= statistics["total"]
        assert 0 <= statistics["hidden"] <= 1


def buffers(dist, rank, size):
    ow.manual_seed(rank)
    model = nn.parallel.DistributedDataParallel(Net())
    for step in range(2):
        model(data(step + 10 * rank, 4, 1, 8, 8)).sum().backward()
    dist.barrier()
    model(data(0, 4, 1, 8, 8))
    return [model.module.norm.running_mean.tolist(), int(model.module.norm.num_batches_tracked)]


def test_buffers_are_those_of_rank_0(tmp_path):
    first, second = run(buffers, 2, tmp_path)
    assert first == second


def dies(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Plain())
    model(data(rank, 4, 8)).sum().backward()
    if rank == 1:
        os._exit(3)
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError, match=r"rank 1 .*has ended"):
        model(data(rank, 4, 8)).sum().backward()
    return time.monotonic() - began


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_a_rank_that_dies_in_a_step(tmp_path, backend):
    result = Ranks(dies, 2, tmp_path, backend=backend).wait()
    assert result[0] < 1


def refuses(dist, rank, size):
    texts = []
    for make in (
        lambda: nn.parallel.DistributedDataParallel(nn.ReLU()),
        lambda: nn.parallel.DistributedDataParallel(3),
        lambda: nn.parallel.DistributedDataParallel(Plain(), bucket_cap_mb=0),
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
            make()
        texts.append(str(caught.value))
    return texts


def test_what_is_no_model_is_refused(tmp_path):
    (texts,) = run(refuses, 1, tmp_path)
    assert "requires a gradient" in texts[0]
    assert texts[1] == "DistributedDataParallel(): module: expected a Module, got int"
    assert texts[2] == "bucket_cap_mb: expected a size above 0, got 0"
