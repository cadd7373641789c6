"""Steps behind the next forward pass: the bits of plain ones, and what goes wrong meanwhile."""

import os
import signal
import time

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.optim import ScheduledOptimizer
from support.ranks import Ranks, run


class Odd(nn.Module):
    """A module that is never called, one that is called twice, and a parameter of the model's own."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.norm = nn.BatchNorm1d(64)
        self.uncalled = nn.Linear(64, 64)
        self.twice = nn.Linear(64, 64)
        self.scale = nn.Parameter(ow.ones(64))
        self.out = nn.Linear(64, 4)

    def forward(self, x):
        x = self.norm(self.layers(x)) * self.scale
        x = ow.tanh(x @ self.uncalled.weight.t() + self.uncalled.bias)
        return self.out(self.twice(ow.tanh(self.twice(x))))


def flat(model):
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def optimizer_of(model, kind):
    if kind == "sgd":
        layers = list(model.module.layers.parameters())
        others = [p for p in model.parameters() if all(p is not q for q in layers)]
        groups = [{"params": layers, "lr": 0.02}, {"params": others}]
        return ow.optim.SGD(groups, lr=0.05, momentum=0.9, nesterov=True)
    return ow.optim.AdamW(model.parameters(), lr=0.01)


def train(rank, kind, schedule=None, set_to_none=True):
    """Outputs, parameters and moments of 12 steps; rates change after each, and some sum gradients up."""
    ow.manual_seed(3)
    options = {"bucket_cap_mb": 0.02, "gradient_as_bucket_view": True}
    model = nn.parallel.DistributedDataParallel(Odd(), **options)
    optimizer = optimizer_of(model, kind)
    if schedule is not None:
        optimizer = ScheduledOptimizer(optimizer, model, **schedule)
    seen = []
    generator = ow.Generator().manual_seed(rank)
    for step in range(12):
        if step % 5 != 4:
            optimizer.zero_grad(set_to_none)
        if step % 4 == 3:
            with model.no_sync():
                (model(ow.randn(4, 8, generator=generator)) ** 2).mean().backward()
        (model(ow.randn(4, 8, generator=generator)) ** 2).mean().backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] *= 0.9
        if step % 3 == 2:
            model.eval()
            with ow.no_grad():
                seen.append(model(ow.ones(2, 8)).flatten().tolist())
            model.train()
    state = sorted(optimizer.state_dict()["state"].items())
    moments = [
        v.flatten().tolist() for _, s in state for v in s.values() if isinstance(v, ow.Tensor)
    ]
    found = [seen, flat(model), moments]
    if schedule is not None:
        done = optimizer.scheduler.statistics()
        assert done["collectives"] > 12
        optimizer.close()
    return found


def as_without(dist, rank, size, kind, by_next_use, set_to_none):
    plain = train(rank, kind, None, set_to_none)
    scheduler = dist.Scheduler(round_mb=0.005)
    schedule = {"scheduler": scheduler, "by_next_use": by_next_use}
    assert train(rank, kind, schedule, set_to_none) == plain
    return [plain[1], scheduler.statistics()["order"]]


@pytest.mark.parametrize("by_next_use", [True, False], ids=["by next use", "as they come"])
@pytest.mark.parametrize(("kind", "set_to_none"), [("sgd", True), ("sgd", False), ("adam", True)])
def test_bits_are_those_of_plain_steps(kind, set_to_none, by_next_use, tmp_path):
    options = {"kind": kind, "by_next_use": by_next_use, "set_to_none": set_to_none}
    first, second, third = run(as_without, 3, tmp_path, backend="gloo", **options)
    assert first == second == third


def overlap(dist, rank, size, by_next_use):
    """Of each step, how many parts of its gradients are reduced when the first layer begins, and in all."""
    layers = [nn.Linear(700, 700, bias=False) for _ in range(8)]
    options = {"bucket_cap_mb": 1, "gradient_as_bucket_view": True}
    model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers), **options)
    scheduler = dist.Scheduler(round_mb=0.5)
    parts = lambda: scheduler.statistics()["parts"]  # noqa: E731
    began = []
    layers[0].register_forward_pre_hook(lambda *_: began.append(parts()))
    plain = ow.optim.SGD(model.parameters(), lr=0.001)
    optimizer = ScheduledOptimizer(plain, model, scheduler, by_next_use)
    shares, done = [], 0
    for _ in range(6):
        optimizer.zero_grad()
        (model(ow.ones(1, 700)) ** 2).mean().backward()
        optimizer.step()
        with ow.no_grad():
            model(ow.ones(1, 700))
        shares.append((began[-1] - done) / (parts() - done))
        done = parts()
    optimizer.close()
    return shares[1:]  # in the first, buckets are not yet in the order of gradients


def test_the_first_layer_begins_before_the_others_are_reduced(tmp_path):
    (tmp_path / "plain").mkdir()
    as_they_come = run(overlap, 2, tmp_path / "plain", backend="gloo", by_next_use=False)
    by_use = run(overlap, 2, tmp_path, backend="gloo", by_next_use=True)
    # Their order is the opposite of the forward pass's: the first layer waits for all of them.
    assert as_they_come == [[1.0] * 5] * 2
    assert all(min(shares) < 0.7 for shares in by_use)


def fails(dist, rank, size, how):
    model = nn.parallel.DistributedDataParallel(nn.Linear(500, 500), gradient_as_bucket_view=True)
    plain = ow.optim.SGD(model.parameters(), lr=0.1)
    optimizer = ScheduledOptimizer(plain, model, dist.Scheduler(round_mb=1 / 16))
    x = ow.ones(2, 500)
    for _ in range(3):
        model(x).sum().backward()
        optimizer.step()
    model(x).sum().backward()
    optimizer.step()
    began = time.monotonic()
    if rank == 1:
        if how == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "aborts":
            optimizer.scheduler.group.abort("no more of it")
        if how == "hangs":
            model(x)
            time.sleep(4)
            return None

    def go_on():
        for _ in range(100):
            model(x).sum().backward()
            optimizer.step()

    with pytest.raises(dist.DistBackendError) as caught:
        go_on()
    return [str(caught.value), time.monotonic() - began]


@pytest.mark.parametrize(
    ("how", "text"),
    [("dies", "rank 1"), ("aborts", "no more of it"), ("hangs", "rank 1 did not come in time")],
)
def test_what_goes_wrong_is_raised_by_who_waits(how, text, tmp_path):
    ranks = Ranks(fails, 2, tmp_path, backend="gloo", timeout=2, how=how)
    results = ranks.wait()
    assert text in results[0][0]
    assert results[0][1] < 10
    if how == "aborts":
        assert text in results[1][0]


class OwnStep(ow.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)


def refused(dist, rank, size):
    parallel = nn.parallel.DistributedDataParallel
    plain, views = (parallel(nn.Linear(3, 3), gradient_as_bucket_view=v) for v in (False, True))
    optimizer = ow.optim.SGD(views.parameters(), lr=0.1)
    texts = []
    for call in (
        lambda: ScheduledOptimizer(None, views),
        lambda: ScheduledOptimizer(optimizer, views.module),
        lambda: ScheduledOptimizer(optimizer, views, "now"),
        lambda: ScheduledOptimizer(optimizer, plain),
        lambda: ScheduledOptimizer(OwnStep(views.parameters(), lr=0.1), views),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        texts.append(f"{type(caught.value).__name__}: {caught.value}")
    scheduled = ScheduledOptimizer(optimizer, views)
    with pytest.raises(RuntimeError, match=r"model\.join"), views.join():
        views(ow.ones(2, 3)).sum().backward()
    return [*texts, isinstance(scheduled, ow.optim.Optimizer)]


def test_arguments(tmp_path):
    (texts,) = run(refused, 1, tmp_path)
    name = "ScheduledOptimizer(): "
    expected = [
        f"TypeError: {name}optimizer: expected an Optimizer, got NoneType",
        f"TypeError: {name}model: expected a DistributedDataParallel, got Linear",
        f"TypeError: {name}scheduler: expected a Scheduler or None, got str",
        f"ValueError: {name}model: expected gradient_as_bucket_view=True",
        f"TypeError: {name}optimizer: OwnStep has a step of its own",
    ]
    assert [t[: len(e)] for t, e in zip(texts, expected, strict=False)] == expected
    assert texts[-1] is True


def zeroed_meanwhile(dist, rank, size, scheduled, by, set_to_none):
    """Parameters after steps whose gradients others set back while they are on their way to a late rank."""
    ow.manual_seed(3)
    model = nn.parallel.DistributedDataParallel(Odd(), gradient_as_bucket_view=True)
    plain = optimizer = ow.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    if scheduled:
        optimizer = ScheduledOptimizer(plain, model)
    generator = ow.Generator().manual_seed(rank)
    for _ in range(4):
        if rank == 1:
            time.sleep(0.1)
        model(ow.randn(4, 8, generator=generator)).square().mean().backward()
        optimizer.step()
        {"model": model, "module": model.module, "optimizer": plain}[by].zero_grad(set_to_none)
    if scheduled:
        optimizer.synchronize()
        optimizer.close()
    return flat(model)


@pytest.mark.parametrize("set_to_none", [True, False])
@pytest.mark.parametrize("by", ["model", "module", "optimizer"])
def test_gradients_that_are_set_back_on_their_way_are_taken_all_the_same(by, set_to_none, tmp_path):
    found = []
    for scheduled in (False, True):
        folder = tmp_path / str(scheduled)
        folder.mkdir()
        options = {"scheduled": scheduled, "by": by, "set_to_none": set_to_none}
        found += run(zeroed_meanwhile, 2, folder, backend="gloo", **options)
    assert found[0] == found[1] == found[2] == found[3]


def closed(dist, rank, size):
    """What gradients are after `zero_grad()` of the model when nobody has them on their way any more."""
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 3), gradient_as_bucket_view=True)
    optimizer = ScheduledOptimizer(ow.optim.SGD(model.parameters(), lr=0.1), model)
    model(ow.ones(2, 3)).sum().backward()
    optimizer.step()
    model.zero_grad()
    waiting = [p.grad is not None for p in model.parameters()]
    optimizer.synchronize()
    optimizer.close()
    return [waiting, [p.grad is None for p in model.parameters()]]


def test_gradients_are_set_back_when_their_update_is_made(tmp_path):
    assert run(closed, 1, tmp_path) == [[[True, True], [True, True]]]


def saved_at_once(dist, rank, size, scheduled, whole):
    """The model's state right after a step, while updates may be waiting."""
    ow.manual_seed(3)
    model = nn.parallel.DistributedDataParallel(Odd(), gradient_as_bucket_view=True)
    optimizer = ow.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    if scheduled:
        optimizer = ScheduledOptimizer(optimizer, model)
    for _ in range(2):
        model(ow.ones(4, 8) * (rank + 1)).square().mean().backward()
        optimizer.step()
    saved = (model if whole else model.module).state_dict()
    return [v for name, t in sorted(saved.items()) for v in t.flatten().tolist()]


@pytest.mark.parametrize("whole", [True, False])
def test_a_models_state_has_all_updates(whole, tmp_path):
    found = []
    for scheduled in (False, True):
        folder = tmp_path / str(scheduled)
        folder.mkdir()
        found += run(saved_at_once, 2, folder, backend="gloo", scheduled=scheduled, whole=whole)
    assert found[:2] == found[2:]  # buffers are each rank's own until the next pass


def after_close(dist, rank, size):
    """The model trains on without the optimiser that was around its own."""
    values = []
    for scheduled in (True, False):
        ow.manual_seed(3)
        model = nn.parallel.DistributedDataParallel(Odd(), gradient_as_bucket_view=True)
        optimizer = ow.optim.SGD(model.parameters(), lr=0.05)
        if scheduled:
            around = ScheduledOptimizer(optimizer, model)
            model(ow.full((4, 8), rank + 1.0)).sum().backward()
            around.step()
            around.close()
        else:
            model(ow.full((4, 8), rank + 1.0)).sum().backward()
            optimizer.step()
        for step in range(3):
            optimizer.zero_grad()
            g = ow.Generator().manual_seed(10 * step + rank)
            model(ow.randn(4, 8, generator=g)).square().mean().backward()
            optimizer.step()
        values.append(flat(model))
    return values


def test_a_model_trains_on_after_its_optimizer_is_closed(tmp_path):
    (first, plain), (second, _) = run(after_close, 2, tmp_path)
    assert first == second == plain


def looks_at_gradients(dist, rank, size, how):
    """Scaling and clipping, which read gradients as soon as the backward pass is over."""
    values = []
    for scheduled in (True, False):
        ow.manual_seed(3)
        model = nn.parallel.DistributedDataParallel(
            nn.Sequential(nn.Linear(8, 600), nn.Tanh(), nn.Linear(600, 600)),
            gradient_as_bucket_view=True,
        )
        optimizer = ow.optim.SGD(model.parameters(), lr=0.05)
        if scheduled:
            optimizer = ScheduledOptimizer(optimizer, model)
        scaler = ow.amp.GradScaler("cpu", init_scale=8.0)
        for step in range(6):
            optimizer.zero_grad()
            g = ow.Generator().manual_seed(10 * step + rank)
            loss = model(ow.randn(4, 8, generator=g)).square().mean()
            scaler.scale(loss).backward()
            if how == "clips":
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 0.01)
            scaler.step(optimizer)
            scaler.update()
        if scheduled:
            optimizer.synchronize()
        values.append(flat(model))
    return [values[0] == values[1], max(abs(a - b) for a, b in zip(*values, strict=True))]


@pytest.mark.parametrize("how", ["scales", "clips"])
def test_who_looks_at_gradients_waits_for_them(tmp_path, how):
    assert run(looks_at_gradients, 2, tmp_path, how=how, backend="gloo") == [[True, 0.0]] * 2
