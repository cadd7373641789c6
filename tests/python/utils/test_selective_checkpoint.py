"""Which operators of a checkpointed function run again; what is expected is what PyTorch 2.15 does with the
same lines."""

import functools

import opweave as ow
import pytest
from opweave import nn
from opweave.utils._python_dispatch import TorchDispatchMode
from opweave.utils.checkpoint import (
    CheckpointPolicy,
    GraphExecGroup,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
)

aten = ow.ops.aten
COUNTED = ["mm", "addmm", "sigmoid", "tanh"]


class Counts(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.of = dict.fromkeys(COUNTED, 0)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._opname
        if name in self.of:
            self.of[name] += 1
        return func(*args, **(kwargs or {}))


def contexts(policy, **options):
    return functools.partial(create_selective_checkpoint_contexts, policy, **options)


def selected(function, *args, policy, **options):
    options.setdefault("context_fn", contexts(policy))
    return checkpoint(function, *args, use_reentrant=False, **options)


@pytest.fixture
def layers():
    ow.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4, bias=False), nn.Sigmoid())


# By policy: how often mm, addmm, sigmoid and tanh run in the backward pass.
RUNS = [
    ("all", lambda *_, **__: CheckpointPolicy.MUST_SAVE, [8, 0, 0, 0]),
    ("none", lambda *_, **__: CheckpointPolicy.PREFER_RECOMPUTE, [11, 1, 2, 1]),
    ("offload", lambda *_, **__: CheckpointPolicy.MUST_CPU_OFFLOAD, [11, 1, 2, 1]),
    ("mm", [aten.mm.default], [8, 1, 2, 1]),
    ("true for mm", lambda _, op, *a, **k: op == aten.mm.default, [8, 1, 2, 1]),
    ("addmm and tanh", [aten.addmm.default, aten.tanh.default], [11, 0, 2, 0]),
    ("Opweave's own names", [ow.ops.mm.default], [8, 1, 2, 1]),
]


@pytest.mark.parametrize(("policy", "runs"), [r[1:] for r in RUNS], ids=[r[0] for r in RUNS])
def test_what_runs_again(layers, policy, runs):
    def function(x, y):
        return ow.sigmoid(ow.matmul(ow.matmul(x, y), y)) * layers(y)

    x, y = (ow.randn(4, 4, requires_grad=True) for _ in range(2))
    function(x, y).sum().backward()
    expected = [t.grad.clone() for t in (x, y, *layers.parameters())]
    for t in (x, y, *layers.parameters()):
        t.grad = None
    loss = selected(function, x, y, policy=policy).sum()
    with Counts() as counts:
        loss.backward()
    assert list(counts.of.values()) == runs
    found = [t.grad for t in (x, y, *layers.parameters())]
    assert all(ow.equal(a, b) for a, b in zip(found, expected, strict=True))


def test_random_numbers_are_drawn_again():
    x = ow.randn(3, 4, requires_grad=True)
    run = lambda x: nn.functional.dropout(x.exp().mm(x.t()), 0.5).tanh()  # noqa: E731
    ow.manual_seed(3)
    run(x).sum().backward()
    expected, x.grad = x.grad, None
    ow.manual_seed(3)
    selected(run, x, policy=[aten.mm.default]).sum().backward()
    assert ow.equal(x.grad, expected)


def test_a_policy_is_told_the_result():
    told = []

    def policy(context, op, *args, **kwargs):
        assert isinstance(context, SelectiveCheckpointContext)
        told.append((str(op), context.is_recompute, tuple(context.op_output.shape)))
        return False

    selected(lambda x: x.mm(x).exp(), ow.ones(2, 2, requires_grad=True), policy=policy)
    assert told == [("aten.mm.default", False, (2, 2)), ("aten.exp.default", False, (2, 2))]


def test_backward_twice_is_refused():
    x = ow.randn(3, 3, requires_grad=True)
    out = selected(lambda x: x.mm(x).exp(), x, policy=[aten.mm.default]).sum()
    out.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match=r"Trying to backward an extra time"):
        out.backward()


def test_kept_results_that_were_written_to():
    kept = []

    def function(x):
        kept.append(x.mm(x))
        return (kept[-1] * kept[-1]).exp()

    for allowed in (False, True):
        x = ow.randn(3, 3, requires_grad=True)
        options = contexts([aten.mm.default], allow_cache_entry_mutation=allowed)
        out = selected(function, x, policy=None, context_fn=options).sum()
        kept[-1].detach().add_(1)
        if allowed:
            out.backward()
        else:
            with pytest.raises(RuntimeError, match=r"cached during selective .* has been mutated"):
                out.backward()


def test_a_second_run_that_differs():
    runs = []

    def function(x):
        runs.append(x)
        return x.sin().cos() if len(runs) == 1 else x.cos().tanh().sin()

    out = selected(function, ow.randn(3, requires_grad=True), policy=[aten.sin.default]).sum()
    with pytest.raises(
        RuntimeError,
        match=r"aten.tanh.default encountered during backward but not found in storage",
    ):
        out.backward()


@pytest.mark.parametrize(
    ("respects", "seen", "warned"), [(None, 1, True), (True, 3, False), (False, 1, False)]
)
def test_saved_tensors_hooks(respects, seen, warned, recwarn):
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor

    with ow.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        out = selected(
            lambda x: x.mm(x).exp().mm(x),
            ow.randn(3, 3, requires_grad=True),
            policy=[aten.mm.default],
            respect_saved_tensors_hooks=respects,
        )
    assert len(packed) == seen
    assert {w.category for w in recwarn} == ({FutureWarning} if warned else set())
    recwarn.clear()
    out.sum().backward()


def test_bad_arguments():
    with pytest.raises(
        ValueError, match=r"but got: aten.mm of type .*change it to `torch.ops.aten.mm.def"
    ):
        create_selective_checkpoint_contexts([aten.mm])
    with pytest.raises(
        ValueError, match="Expected op in `op_list` to be an OpOverload but got: 3 of type"
    ):
        create_selective_checkpoint_contexts([3])
    with pytest.raises(TypeError, match="must be either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)
    with pytest.raises(
        ValueError, match="`respect_saved_tensors_hooks` is only supported when use_re"
    ):
        checkpoint(ow.sin, ow.ones(2), use_reentrant=True, respect_saved_tensors_hooks=True)


def test_a_group_of_backward_passes_runs_once():
    runs = []

    def function(x):
        runs.append(x)
        return x.exp(), x.sin()

    x = ow.randn(3, requires_grad=True)
    first, second = checkpoint(function, x, use_reentrant=False)
    with GraphExecGroup():
        first.sum().backward(retain_graph=True)
        second.sum().backward()
        with pytest.raises(RuntimeError, match="cannot be nested"), GraphExecGroup():
            pass
    assert len(runs) == 2
    ow.testing.assert_close(x.grad, x.detach().exp() + x.detach().cos())
