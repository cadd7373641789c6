"""Hooks that are given another hook's bucket, what hooks may find in theirs, and futures of them."""

import time

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms.ddp_comm_hooks import default_hooks
from opweave.distributed.algorithms.ddp_comm_hooks._deferred import Deferred
from opweave.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from opweave.distributed.algorithms.ddp_comm_hooks.quantization_hooks import (
    QuantizationState,
    quantization_perchannel_hook,
    quantization_pertensor_hook,
)
from opweave.distributed.algorithms.ddp_comm_hooks.topk_hook import TopKState, topk_hook
from support.ranks import run

INNER = {
    "average": (default_hooks.allreduce_hook, lambda: None),
    "fp16": (default_hooks.fp16_compress_hook, lambda: None),
    "bf16": (default_hooks.bf16_compress_hook, lambda: None),
    "topk": (topk_hook, lambda: TopKState(ratio=0.2)),
    "int8": (quantization_pertensor_hook, QuantizationState),
    "int8_channel": (quantization_perchannel_hook, lambda: QuantizationState(channel_size=16)),
    "power": (powerSGD_hook, lambda: PowerSGDState(None, 2, 0, min_compression_rate=1.2)),
}
WRAPPERS = {
    "none": lambda hook: hook,
    "fp16": default_hooks.fp16_compress_wrapper,
    "bf16": default_hooks.bf16_compress_wrapper,
}


def model_of(hook, state, **options):
    ow.manual_seed(5)
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(6, 40), nn.Tanh(), nn.Linear(40, 3)), **options
    )
    if hook is not None:
        model.register_comm_hook(state, hook)
    return model


def sums(dist, rank, size, wrapper, inner):
    """What 60 passes of the same gradients have sent, and the largest error that is left."""
    hook, make = INNER[inner]
    state = make()
    model, plain = (
        model_of(WRAPPERS[wrapper](hook), state, bucket_cap_mb=0.0005),
        model_of(None, None),
    )
    x = ow.randn(16, 6, generator=ow.Generator().manual_seed(rank))
    total = 0
    for _ in range(60):
        for each in (model, plain):
            each.zero_grad()
            each(x).square().mean().backward()
        total += ow.cat([p.grad.flatten() for p in model.parameters()])
    expected = ow.cat([p.grad.flatten() for p in plain.parameters()])
    feedback = getattr(state, "feedback", None)
    errors = feedback.state_dict(model.module).values() if feedback else ()
    return [
        ((total / 60 - expected).abs().max() / expected.abs().max()).item(),
        max((e.float().abs().max().item() for e in errors), default=0.0)
        / expected.abs().max().item(),
        total.tolist(),
    ]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_each_hook_in_each_wrapper(tmp_path, wrapper, inner):
    """What one pass leaves behind the next ones send: the mean of many is the gradient."""
    (difference, error, first), (_, _, second) = run(
        sums, 2, tmp_path, wrapper=wrapper, inner=inner
    )
    assert first == second
    assert difference < 0.12, difference
    assert error < 40, error


def wrong_buffers(dist, rank, size):
    texts = []

    def hook(state, bucket):
        for buffer in (3, ow.ones(2), bucket.buffer().view(1, -1)):
            with pytest.raises((TypeError, ValueError)) as caught:
                bucket.set_buffer(buffer)
            texts.append(str(caught.value))
        bucket.set_buffer(ow.arange(float(bucket.buffer().numel()), dtype=ow.float64))
        texts.append([g.flatten()[0].item() for g in bucket.gradients()])
        texts.append(bucket.group() is dist.group.WORLD)
        return default_hooks.allreduce_hook(state, bucket)

    model_of(hook, None)(ow.ones(1, 6)).sum().backward()
    return texts


def test_another_buffer_has_other_gradients(tmp_path):
    ((kind, length, dims, begins, is_world),) = run(wrong_buffers, 1, tmp_path)
    assert kind == "set_buffer(): expected a tensor, got int"
    assert length == (
        "set_buffer(): buffer: expected one dimension of 403 elements, got the sizes [2]"
    )
    assert dims.endswith("got the sizes [1, 403]")
    assert begins == [0, 3, 123, 163]
    assert is_world


def test_futures_that_who_waits_computes():
    calls, told = [], []
    future = Deferred(lambda: calls.append(1) or 5)
    after = future.then(lambda done: done.value() + 1).then(lambda done: done.value() * 2)
    future.add_done_callback(lambda done: told.append(done.value()))
    assert (calls, told, future.done()) == ([], [], False)
    assert after.wait() == 12
    assert future.wait() == 5
    assert (calls, told) == ([1], [5])

    def fails():
        raise ValueError("not today")

    failed = Deferred(fails).then(lambda done: done.value())
    for _ in range(2):
        with pytest.raises(ValueError, match="not today"):
            failed.wait()


class Slow(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        time.sleep(0.4)
        return grad


class SlowNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.last(Slow.apply(self.first(x)))


def hides(dist, rank, size, hook):
    model = nn.parallel.DistributedDataParallel(SlowNet(), bucket_cap_mb=0.00002)
    if hook is not None:
        model.register_comm_hook(None, getattr(default_hooks, hook))
    for _ in range(2):
        model(ow.ones(1, 4)).sum().backward()
    found = model.statistics()
    return [found["buckets"][0]["reduced"], found["backward"], found["hidden"]]


@pytest.mark.parametrize("hook", [None, "allreduce_hook", "fp16_compress_hook"])
def test_what_a_slow_layer_hides(tmp_path, hook):
    for reduced, backward, hidden in run(hides, 2, tmp_path, hook=hook):
        assert reduced < 0.3 < 0.4 <= backward
        assert 0 < hidden <= 1


def builtin(dist, rank, size):
    values = []
    for kind in (*dist.BuiltinCommHookType, None):
        model = model_of(None, None)
        if kind is not None:
            model._register_builtin_comm_hook(kind)
        model(ow.full((2, 6), rank + 1.0)).sum().backward()
        values.append([v for p in model.parameters() for v in p.grad.flatten().tolist()])
    with pytest.raises(TypeError) as caught:
        model._register_builtin_comm_hook("fp16")
    return values, str(caught.value)


def test_builtin_hooks(tmp_path):
    for (average, half, plain), text in run(builtin, 2, tmp_path):
        assert average == plain
        assert half != plain
        assert half == pytest.approx(plain, rel=2e-3, abs=1e-3)
        assert text == (
            "_register_builtin_comm_hook(): comm_hook_type: expected a BuiltinCommHookType, got str"
        )
