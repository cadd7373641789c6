"""What users put in the place of the average of buckets, and backward passes that fail."""

import time

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms.ddp_comm_hooks import default_hooks
from support.ranks import run


def model_of(hook=None, state=None, **options):
    ow.manual_seed(5)
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 3)), **options
    )
    if hook is not None:
        model.register_comm_hook(state, hook)
    return model


def gradients(model, rank, steps=1):
    for step in range(steps):
        model.zero_grad()
        g = ow.Generator().manual_seed(10 * step + rank)
        model(ow.randn(5, 6, generator=g)).square().sum().backward()
    return [v for p in model.parameters() for v in p.grad.flatten().tolist()]


def with_hook(dist, rank, size, name, options):
    hooks = {
        "fp16_wrapper": default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook),
        "bf16_wrapper": default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook),
    }
    hook = hooks.get(name) or getattr(default_hooks, name)
    return [
        gradients(model_of(hook, **options), rank, 2),
        gradients(model_of(**options), rank, 2),
    ]


@pytest.mark.parametrize("options", [{}, {"bucket_cap_mb": 0.0001}], ids=["one", "many"])
@pytest.mark.parametrize(
    ("name", "relative"),
    [
        ("allreduce_hook", 0),
        ("fp16_compress_hook", 2e-3),
        ("bf16_compress_hook", 2e-2),
        ("fp16_wrapper", 2e-3),
        ("bf16_wrapper", 2e-2),
    ],
)
def test_hooks_that_average(tmp_path, name, relative, options):
    (first, plain), (second, _) = run(with_hook, 2, tmp_path, name=name, options=options)
    assert first == second
    largest = max(abs(v) for v in plain)
    assert first == pytest.approx(plain, rel=relative, abs=relative * largest)


def own_hook(dist, rank, size):
    seen = []

    def hook(state, bucket):
        assert state == "mine"
        buffer = bucket.buffer()
        assert sum(g.numel() for g in bucket.gradients()) == buffer.numel()
        assert [p.shape for p in bucket.parameters()] == [g.shape for g in bucket.gradients()]
        seen.append([bucket.index(), bucket.is_last()])
        future = ow.futures.Future()
        future.set_result(ow.full_like(buffer, 7.0))
        return future

    values = gradients(model_of(hook, "mine", bucket_cap_mb=0.0001), rank)
    return [seen, set(values) == {7.0}]


def test_a_hook_of_the_user(tmp_path):
    for seen, all_sevens in run(own_hook, 2, tmp_path):
        assert [index for index, _ in seen] == list(range(len(seen)))
        assert [last for _, last in seen] == [False] * (len(seen) - 1) + [True]
        assert all_sevens


def bad_hooks(dist, rank, size):
    texts = []

    def done(value):
        future = ow.futures.Future()
        future.set_result(value)
        return future

    def fails(_, bucket):
        raise ValueError("no network today")

    for hook in (
        lambda _, bucket: done(ow.zeros(3)),
        lambda _, bucket: done("text"),
        lambda _, bucket: 5,
        fails,
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
            gradients(model_of(hook), rank)
        texts.append(str(caught.value))
        dist.destroy_process_group()
        dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
    model = model_of(default_hooks.allreduce_hook)
    for hook in (3, default_hooks.allreduce_hook):
        with pytest.raises((RuntimeError, TypeError)) as caught:
            model.register_comm_hook(None, hook)
        texts.append(str(caught.value))
    return texts


def test_hooks_that_are_wrong(tmp_path):
    (texts,) = run(bad_hooks, 1, tmp_path)
    assert texts[0] == (
        "communication hook: expected a tensor of 203 elements for the bucket 0, got one of the sizes [3]"
    )
    assert texts[1] == "communication hook: expected a future of a tensor, got one of str"
    assert texts[2] == "communication hook: expected it to return a Future, got int"
    assert texts[3] == "no network today"
    assert texts[4] == "Communication hook must be callable."
    assert "can only be called once" in texts[5]


class Fails(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x, fail):
        ctx.fail = fail
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.fail:
            raise MemoryError("rank 1 has no memory left")
        return grad, None


class Failing(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 2)
        self.fail = False

    def forward(self, x):
        return self.last(Fails.apply(self.first(x), self.fail))


def raises_in_backward(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Failing())
    model(ow.ones(3, 4)).sum().backward()
    model.module.fail = rank == 1
    time.sleep(0.3)  # all of them have come out of the pass before
    began = time.monotonic()
    with pytest.raises((dist.DistBackendError, MemoryError)) as caught:
        model(ow.ones(3, 4)).sum().backward()
    seconds = time.monotonic() - began
    dist.destroy_process_group()
    return [type(caught.value).__name__, str(caught.value), seconds]


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_a_rank_that_raises_in_its_backward_pass(tmp_path, backend):
    """The others hear of it at once."""
    results = run(raises_in_backward, 3, tmp_path, backend=backend, timeout=20)
    for rank, (kind, text, seconds) in enumerate(results):
        assert seconds < 1
        if rank == 1:
            assert (kind, text) == ("MemoryError", "rank 1 has no memory left")
        else:
            assert kind == "DistBackendError"
            assert "rank 1 raised in its backward pass" in text, text
