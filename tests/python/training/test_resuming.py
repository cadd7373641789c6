"""Hooks with a state: it is part of checkpoints, of copies, and of what goes on after a failure."""

import copy
import io
import pickle

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from opweave.distributed.algorithms.ddp_comm_hooks.quantization_hooks import (
    QuantizationState,
    quantization_perchannel_hook,
    quantization_pertensor_hook,
)
from opweave.distributed.algorithms.ddp_comm_hooks.topk_hook import TopKState, topk_hook
from support.ranks import run

HOOKS = {
    "topk": (topk_hook, lambda: TopKState(ratio=0.1)),
    "power": (powerSGD_hook, lambda: PowerSGDState(None, 2, 3, min_compression_rate=1.2)),
    "power_cold": (
        powerSGD_hook,
        lambda: PowerSGDState(None, 2, 3, min_compression_rate=1.2, warm_start=False),
    ),
    "int8": (quantization_pertensor_hook, QuantizationState),
    "int8_channel": (quantization_perchannel_hook, lambda: QuantizationState(channel_size=16)),
}


def model_of(name, state, module=None, **options):
    ow.manual_seed(5)
    module = module or nn.Sequential(nn.Linear(6, 40), nn.Tanh(), nn.Linear(40, 3))
    model = nn.parallel.DistributedDataParallel(module, **options)
    model.register_comm_hook(state, HOOKS[name][0])
    return model


def train(model, rank, steps):
    optimizer = ow.optim.SGD(model.parameters(), lr=0.05)
    for step in steps:
        optimizer.zero_grad()
        x = ow.randn(16, 6, generator=ow.Generator().manual_seed(100 * step + rank))
        model(x).sin().square().mean().backward()
        optimizer.step()
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def resumes(dist, rank, size, name, how):
    state = HOOKS[name][1]()
    model = model_of(name, state)
    train(model, rank, range(8))
    if how == "checkpoint":
        file = io.BytesIO()
        ow.save({"model": model.module.state_dict(), "hook": state.state_dict(model.module)}, file)
        file.seek(0)
        saved, again = ow.load(file), HOOKS[name][1]()
        other = model_of(name, again)
        other.module.load_state_dict(saved["model"])
        again.load_state_dict(other.module, saved["hook"])
    else:
        module, again = (
            copy.deepcopy((model.module, state))
            if how == "copy"
            else pickle.loads(pickle.dumps((model.module, state)))
        )
        other = model_of(name, again, module)
    other.set_bucket_order(model.bucket_order())
    return [train(model, rank, range(8, 14)), train(other, rank, range(8, 14))]


@pytest.mark.parametrize("how", ["checkpoint", "copy", "pickle"])
@pytest.mark.parametrize("name", HOOKS)
def test_training_goes_on_to_the_bit(tmp_path, name, how):
    (first, resumed), (second, resumed_there) = run(resumes, 2, tmp_path, name=name, how=how)
    assert first == second == resumed == resumed_there


def wrong_orders(dist, rank, size):
    model = model_of("topk", TopKState())
    assert model.bucket_order() == ["2.bias", "2.weight", "0.bias", "0.weight"]
    texts = []
    for names in (["none"], ["0.bias"]):
        with pytest.raises(ValueError, match="set_bucket_order: names: ") as caught:
            model.set_bucket_order(names)
        texts.append(str(caught.value))
    train(model, rank, range(1))
    with pytest.raises(RuntimeError) as caught:
        model.set_bucket_order(model.bucket_order())
    return [*texts, str(caught.value)]


def test_orders_that_are_none(tmp_path):
    assert run(wrong_orders, 1, tmp_path) == [
        [
            "set_bucket_order: names: expected those of parameters that are reduced, got 'none'",
            "set_bucket_order: names: expected each parameter that is reduced once",
            "set_bucket_order: call it before the first forward pass",
        ]
    ]


def test_checkpoints_of_another_model():
    state = PowerSGDState()
    saved = state.state_dict(nn.Linear(2, 2))
    saved["starts"] = {"none": ow.ones(2, 1)}
    with pytest.raises(KeyError, match="load_state_dict: the module has no parameter 'none'"):
        state.load_state_dict(nn.Linear(2, 2), saved)


def unused(dist, rank, size, name, views):
    """What is left of a parameter that no rank uses for some passes is there, and what it has stays."""

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(6, 5), nn.Linear(6, 5)

        def forward(self, x, both):
            return self.a(x) + self.b(x) if both else self.a(x)

    state = HOOKS[name][1]()
    if name == "power":
        state.start = 0
    model = model_of(name, state, Two(), find_unused_parameters=True, gradient_as_bucket_view=views)
    x = ow.randn(4, 6, generator=ow.Generator().manual_seed(rank))
    model(x, True).sin().sum().backward()
    gradient = model.module.b.weight.grad.tolist()
    before = state.state_dict(model.module)["errors"]["b.weight"].tolist()
    for _ in range(3):
        model(x, False).sin().sum().backward()
    after = state.state_dict(model.module)["errors"]["b.weight"].tolist()
    kept = model.module.b.weight.grad.tolist() == gradient
    return [before == after, any(v for row in before for v in row), kept]


@pytest.mark.parametrize("views", [False, True])
@pytest.mark.parametrize("name", ["topk", "power", "int8", "int8_channel"])
def test_parameters_that_nobody_uses(tmp_path, name, views):
    for same, there, kept in run(unused, 2, tmp_path, name=name, views=views):
        assert there
        assert same
        assert kept


def fails_once(dist, rank, size, name):
    """Rank 1 fails in the middle of a pass; all go on in another group."""
    group = dist.new_group()
    state = HOOKS[name][1]()
    if name == "power":
        state.start = 1

    class Fails(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            if failing:
                raise MemoryError("no memory")
            return grad

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(6, 40), nn.Linear(40, 30)

        def forward(self, x):
            return self.b(Fails.apply(self.a(x)))

    failing = False
    model = model_of(name, state, Net(), process_group=group, bucket_cap_mb=0.0005)
    train(model, rank, range(3))
    failing = rank == 1
    caught = None
    try:
        train(model, rank, range(3, 4))
    except (MemoryError, dist.DistBackendError) as error:
        caught = type(error).__name__
    failing = False
    group = dist.new_group()
    model._update_process_group(group)
    return [caught, train(model, rank, range(3, 6))]


@pytest.mark.parametrize("name", HOOKS)
def test_another_group_after_a_failure(tmp_path, name):
    first, second, third = run(fails_once, 3, tmp_path, name=name)
    assert [kind for kind, _ in (first, second, third)] == [
        "DistBackendError",
        "MemoryError",
        "DistBackendError",
    ]
    assert first[1] == second[1] == third[1]
