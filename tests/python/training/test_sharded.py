"""Gradients that each rank has in part: sums of several passes, norms, and steps that are left out."""

import math

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.optim import ZeroRedundancyOptimizer
from support.ranks import run


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.unused = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(2, 2)

    def forward(self, x, also=False):
        y = self.b(self.a(x).tanh())
        return y.sum() + self.unused(ow.ones(1, 2)).sum() if also else y.sum()


def made(optimizer_class=ow.optim.SGD, lr=0.1, cls=Net, **options):
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(cls(), **options)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class, lr=lr)
    optimizer.shard_gradients(model)
    return model, optimizer


def batch(rank, step):
    return ow.randn(4, 6, generator=ow.Generator().manual_seed(100 * rank + step))


def flat(model):
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def gradients_of(model):
    """By name, of the parameters that have one here."""
    return {name: p.grad.tolist() for name, p in model.named_parameters() if p.grad is not None}


def accumulates(dist, rank, size, views, unused, to_none):
    options = {"find_unused_parameters": True, "gradient_as_bucket_view": views}
    model, _ = made(**options)
    ow.manual_seed(1)
    plain = nn.parallel.DistributedDataParallel(Net(), **options)
    found = []
    for each in (model, plain):
        for step in range(2):
            each.zero_grad(set_to_none=to_none)
            for part in range(3):
                each(batch(rank, 10 * step + part), also=unused and part == 0).backward()
        found.append(gradients_of(each.module))
    return found


@pytest.mark.parametrize("to_none", [True, False])
@pytest.mark.parametrize("unused", [False, True])
@pytest.mark.parametrize("views", [False, True])
def test_passes_that_are_summed_up(tmp_path, views, unused, to_none):
    have = {}
    for sharded, plain in run(
        accumulates, 2, tmp_path, views=views, unused=unused, to_none=to_none
    ):
        assert 0 < len(sharded) < len(plain)
        have |= sharded
        for name, gradient in sharded.items():
            for a, b in zip(gradient, plain[name], strict=True):
                assert a == pytest.approx(b, rel=1e-4, abs=1e-5), name
    assert set(have) == set(plain)


def mixes(dist, rank, size):
    """Gradients of a pass that was reduced, and then of one that is not."""
    model, optimizer = made()
    texts = []
    for to_none in (True, False):
        model(batch(rank, 0), also=True).backward()
        optimizer.zero_grad(set_to_none=to_none)
        with model.no_sync():
            model(batch(rank, 1), also=True).backward()
        model(batch(rank, 2), also=True).backward()
        texts.append(gradients_of(model.module))
        optimizer.zero_grad()
    model(batch(rank, 0), also=True).backward()
    with pytest.raises(RuntimeError) as caught, model.no_sync():
        model(batch(rank, 1), also=True).backward()
    return [*texts, str(caught.value)]


def test_no_sync(tmp_path):
    ow.manual_seed(1)
    model = Net()
    for rank in range(2):
        for step in (1, 2):
            (model(batch(rank, step), also=True) / 2).backward()
    expected = gradients_of(model)
    for none, zeros, text in run(mixes, 2, tmp_path):
        assert none.keys() == zeros.keys()
        for name in none:
            for got in (none, zeros):
                assert ow.allclose(ow.tensor(got[name]), ow.tensor(expected[name]), atol=1e-5)
        assert text.startswith("no_sync(): the gradient of '")
        assert "is the average of an earlier pass, which this rank alone keeps" in text
        assert text.endswith("Call zero_grad() first")


def clips(dist, rank, size, norm_type):
    model, optimizer = made()
    model(batch(rank, 0), also=True).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5, norm_type=norm_type).item()
    optimizer.step()
    return [norm, flat(model)]


@pytest.mark.parametrize("norm_type", [2.0, 1.0, math.inf])
@pytest.mark.parametrize("ranks", [2, 7])
def test_the_norm_is_that_of_all_gradients(tmp_path, ranks, norm_type):
    """Also where a rank has none."""
    ow.manual_seed(1)
    model = Net()
    for rank in range(ranks):
        (model(batch(rank, 0), also=True) / ranks).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5, norm_type=norm_type).item()
    ow.optim.SGD(model.parameters(), lr=0.1).step()
    for got, parameters in run(clips, ranks, tmp_path, norm_type=norm_type):
        assert got == pytest.approx(norm, rel=1e-5)
        assert parameters == pytest.approx(flat(model), rel=1e-4, abs=1e-6)


def scales(dist, rank, size, fused):
    """The second step overflows in one parameter, of one rank."""
    model, optimizer = made()
    scaler = ow.amp.GradScaler("cpu", init_scale=4.0, growth_interval=100)
    found = []
    for step in range(3):
        optimizer.zero_grad()
        loss = model(batch(rank, step), also=True)
        if step == 1:
            loss = loss + model.module.b.bias[0] * math.inf
        scaler.scale(loss).backward()
        if fused:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 100.0)
        scaler.step(optimizer)
        scaler.update()
        found.append([scaler.get_scale(), flat(model)])
    return found


@pytest.mark.parametrize("clipped", [False, True])
@pytest.mark.parametrize("ranks", [2, 7])
def test_a_step_is_left_out_on_all_ranks(tmp_path, ranks, clipped):
    results = run(scales, ranks, tmp_path, fused=clipped)
    assert all(result == results[0] for result in results)
    (one, first), (two, second), (three, third) = results[0]
    assert (one, two, three) == (4, 2, 2)
    assert first == second != third


def another_group(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Net(), process_group=dist.new_group())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), ow.optim.SGD, lr=0.1)
    with pytest.raises(ValueError, match="shard_gradients") as caught:
        optimizer.shard_gradients(model)
    smaller = dist.new_group([0])
    texts = [str(caught.value)]
    if rank == 0:
        with pytest.raises(ValueError, match="_update_process_group") as caught:
            optimizer._update_process_group(smaller)
        texts.append(str(caught.value))
    return texts


def test_groups_that_are_others(tmp_path):
    (first, change), (second,) = run(another_group, 2, tmp_path)
    assert first == second
    assert first == (
        "shard_gradients(): model: expected one of the optimiser's process_group, got one of another"
    )
    assert change.startswith(
        "_update_process_group(): new_process_group: expected 2 ranks, of which this is 0, got 1, of which "
        "it is 0: who has which state would change"
    )
