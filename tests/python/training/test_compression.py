"""Hooks that send less: what they give, and that training comes to the same end with error feedback."""

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms.ddp_comm_hooks.error_feedback import ErrorFeedback
from opweave.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from opweave.distributed.algorithms.ddp_comm_hooks.quantization_hooks import (
    QuantizationState,
    quantization_perchannel_hook,
    quantization_pertensor_hook,
)
from opweave.distributed.algorithms.ddp_comm_hooks.topk_hook import TopKState, topk_hook
from support.ranks import run


def model_of(hook, state, **options):
    ow.manual_seed(5)
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(6, 40), nn.Tanh(), nn.Linear(40, 3)), **options
    )
    if hook is not None:
        model.register_comm_hook(state, hook)
    return model


HOOKS = {
    "plain": (None, lambda: None),
    "topk": (topk_hook, lambda: TopKState(ratio=0.1)),
    "topk_all": (topk_hook, lambda: TopKState(ratio=1.0)),
    "power_full": (
        powerSGD_hook,
        lambda: PowerSGDState(
            matrix_approximation_rank=6, start_powerSGD_iter=0, min_compression_rate=0.1
        ),
    ),
    "power": (powerSGD_hook, lambda: PowerSGDState(None, 2, 10, min_compression_rate=1.2)),
    "int8": (quantization_pertensor_hook, QuantizationState),
    "int8_group": (quantization_pertensor_hook, lambda: None),
    "int8_channel": (quantization_perchannel_hook, lambda: QuantizationState(channel_size=16)),
}


def batch(step, rank):
    g = ow.Generator().manual_seed(100 * step + rank)
    x = ow.randn(16, 6, generator=g)
    return x, ow.stack([x[:, 0] * x[:, 1], x[:, 2].sin(), x[:, 3] - x[:, 4]], 1)


def one_step(dist, rank, size, name):
    values = []
    for hook, make in (HOOKS[name], HOOKS["plain"]):
        model = model_of(hook, make(), bucket_cap_mb=0.0005)
        x, y = batch(0, rank)
        nn.functional.mse_loss(model(x), y).backward()
        values.append([v for p in model.parameters() for v in p.grad.flatten().tolist()])
    return values


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("topk_all", 1e-6),
        ("power_full", 1e-5),
        ("int8_group", 0.01),
        ("int8", 0.01),
        ("int8_channel", 0.01),
    ],
)
def test_gradients_are_near_the_average(tmp_path, name, part):
    (first, plain), (second, _) = run(one_step, 2, tmp_path, name=name)
    assert first == second
    largest = max(abs(v) for v in plain)
    assert first == pytest.approx(plain, abs=part * largest, rel=1e-6)


def sparse(dist, rank, size):
    model = model_of(*((topk_hook, TopKState(ratio=0.05, use_error_feedback=False))))
    x, y = batch(0, rank)
    nn.functional.mse_loss(model(x), y).backward()
    values = [v for p in model.parameters() for v in p.grad.flatten().tolist()]
    return [sum(v != 0 for v in values), len(values)]


def test_few_elements_are_sent(tmp_path):
    for sent, all_of_them in run(sparse, 2, tmp_path):
        assert all_of_them * 0.05 - 1 <= sent <= 2 * all_of_them * 0.05


def trained(dist, rank, size, name):
    model = model_of(HOOKS[name][0], HOOKS[name][1](), bucket_cap_mb=0.0005)
    optimizer = ow.optim.SGD(model.parameters(), lr=0.05)
    for step in range(300):
        optimizer.zero_grad()
        x, y = batch(step, rank)
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    with ow.no_grad():
        total = sum(
            nn.functional.mse_loss(model(x), y).item()
            for x, y in (batch(9000, r) for r in range(8))
        )
    return [total / 8, [v for p in model.parameters() for v in p.detach().flatten().tolist()]]


def test_training_comes_to_the_same_loss(tmp_path):
    losses = {}
    for name in ("plain", "topk", "power", "int8", "int8_channel"):
        folder = tmp_path / name
        folder.mkdir()
        (loss, first), (_, second) = run(trained, 2, folder, name=name)
        assert first == second  # to the bit
        losses[name] = loss
    for name, loss in losses.items():
        assert loss == pytest.approx(losses["plain"], rel=0.02), (name, losses)


def test_errors_are_part_of_a_checkpoint():
    class Bucket:
        def __init__(self, parameters, gradients):
            self.parameters, self.gradients = lambda: parameters, lambda: gradients
            self.used = lambda: [True] * len(parameters)

    module = nn.Linear(2, 3)
    feedback = ErrorFeedback()
    parameters = [module.bias, module.weight]  # another order than the module's
    gradients = [ow.full((3,), 2.0), ow.full((3, 2), 5.0)]
    feedback.keep(Bucket(parameters, gradients), ow.arange(9.0))
    saved = feedback.state_dict(module)
    assert saved["bias"].tolist() == [2, 1, 0]
    assert saved["weight"].tolist() == [[2, 1], [0, -1], [-2, -3]]
    again = ErrorFeedback()
    again.load_state_dict(module, saved)
    fresh = [ow.zeros(3), ow.zeros(3, 2)]
    again.add_to(Bucket(parameters, fresh))
    assert fresh[1].tolist() == saved["weight"].tolist()
    with pytest.raises(KeyError, match="the module has no parameter 'none'"):
        again.load_state_dict(module, {"none": ow.zeros(1)})
    with pytest.raises(
        ValueError, match=r"the error of 'bias' has the shape \[4\], the parameter \[3\]"
    ):
        again.load_state_dict(module, {"bias": ow.zeros(4)})


@pytest.mark.parametrize("ratio", [0, -1, 1.5])
def test_ratios_that_are_none(ratio):
    with pytest.raises(ValueError, match=r"TopKState: expected a ratio above 0 and up to 1"):
        TopKState(ratio=ratio)


def powers(dist, rank, size):
    state = PowerSGDState(None, 1, 1, min_compression_rate=2)
    model = model_of(powerSGD_hook, state)
    for step in range(3):
        x, y = batch(step, rank)
        nn.functional.mse_loss(model(x), y).backward()
    model.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    return [
        list(state.compression_stats()),
        ow.linalg.svdvals(model.module[0].weight.grad).tolist(),
    ]


def test_matrices_of_a_low_rank(tmp_path):
    for (rate, before, after), singular in run(powers, 2, tmp_path):
        assert before == 3 * (6 * 40 + 40 + 3 * 40 + 3)
        assert after == 3 * ((6 + 40) + 40 + (3 + 40) + 3)
        assert rate == before / after
        assert singular[1] < 1e-5 * singular[0]
