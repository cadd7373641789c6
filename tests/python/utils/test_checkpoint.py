"""Checkpointed functions: gradients are those without, and what is saved is dropped and computed anew."""

import functools
import gc
import weakref

import opweave as ow
import pytest
from opweave import nn
from opweave.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

both = pytest.mark.parametrize("reentrant", [True, False])
plain = functools.partial(checkpoint, use_reentrant=False)


def network():
    ow.manual_seed(0)
    return nn.Sequential(
        nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 2)
    )


def gradients(model, x, run):
    model.zero_grad()
    x = x.clone().requires_grad_()
    ow.manual_seed(7)
    run(model, x).square().sum().backward()
    after = ow.rand(1).item()
    return [p.grad.tolist() for p in model.parameters()] + [x.grad.tolist(), after]


@both
def test_gradients_are_those_without(reentrant):
    model, x = network(), ow.randn(3, 4)
    expected = gradients(model, x, lambda m, x: m(x))
    found = gradients(model, x, lambda m, x: checkpoint(m, x, use_reentrant=reentrant))
    assert found == expected


@both
@pytest.mark.parametrize("segments", [1, 2, 3, 6])
def test_sequential(reentrant, segments):
    model, x = network(), ow.randn(3, 4)
    expected = gradients(model, x, lambda m, x: m(x))
    run = functools.partial(checkpoint_sequential, segments=segments, use_reentrant=reentrant)
    assert gradients(model, x, lambda m, x: run(m, input=x)) == expected


def test_no_segments():
    with pytest.raises(ValueError, match="segments: expected 1 or more, got 0"):
        checkpoint_sequential([ow.sin], 0, ow.ones(1), use_reentrant=False)


@both
def test_without_the_random_state_dropout_differs(reentrant):
    def drop(x):
        return nn.functional.dropout(x, 0.5) * x

    x = ow.ones(1000, requires_grad=True)
    out = checkpoint(drop, x, use_reentrant=reentrant, preserve_rng_state=False)
    out.sum().backward()
    assert not ow.equal(x.grad != 0, out != 0)
    x.grad = None
    out = checkpoint(drop, x, use_reentrant=reentrant)
    out.sum().backward()
    assert ow.equal(x.grad != 0, out != 0)


def test_what_is_saved_is_dropped():
    kept = []

    def body(x):
        y = x.exp()
        kept.append(weakref.ref(y))
        return (y * y).sum()

    x = ow.randn(5, requires_grad=True)
    out = plain(body, x)
    gc.collect()
    assert kept[0]() is None
    out.backward()
    assert ow.allclose(x.grad, 2 * (2 * x.detach()).exp())
    assert len(kept) == 2


@both
@pytest.mark.filterwarnings(
    "ignore:None of the inputs"
)  # of the inner one, in the outer's first run
def test_in_a_checkpointed_function(reentrant):
    runs = []

    def inner(x):
        runs.append("inner")
        return x.sin().exp()

    def outer(x):
        runs.append("outer")
        return checkpoint(inner, x.cos(), use_reentrant=reentrant).tanh()

    x = ow.randn(5, requires_grad=True)
    checkpoint(outer, x, use_reentrant=reentrant).sum().backward()
    y = x.detach().clone().requires_grad_()
    y.cos().sin().exp().tanh().sum().backward()
    assert x.grad.tolist() == y.grad.tolist()
    assert runs[:2] == ["outer", "inner"]
    assert 4 <= len(runs) <= 6


def test_inner_inputs_are_dropped_as_well():
    kept = []

    def outer(x):
        y = x.cos()
        kept.append(weakref.ref(y))
        return plain(lambda t: t.sin().exp(), y)

    x = ow.randn(5, requires_grad=True)
    out = plain(outer, x)
    gc.collect()
    assert kept[0]() is None
    out.sum().backward()
    y = x.detach().clone().requires_grad_()
    y.cos().sin().exp().sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


@pytest.mark.parametrize(("early", "last"), [(True, 1), (False, 2)])
def test_a_second_run_ends_when_all_is_there(early, last):
    ends = []

    def body(x):
        out = x.exp()  # saves its result
        out = out.sin()  # saves its input
        ends.append("end")
        return out + 1

    x = ow.randn(3, requires_grad=True)
    plain(body, x, early_stop=early).sum().backward()
    assert len(ends) == last
    ends.clear()
    with set_checkpoint_early_stop(early):
        out = plain(body, x)
    out.sum().backward()
    assert len(ends) == last


def test_keywords_and_containers():
    def body(pair, *, scale):
        return (pair[0] * pair[1] * scale).sum()

    a, b = ow.randn(3, requires_grad=True), ow.randn(3, requires_grad=True)
    plain(body, [a, b], scale=2).backward()
    assert a.grad.tolist() == (2 * b).tolist()


def test_a_graph_that_is_kept_runs_twice():
    x = ow.randn(3, requires_grad=True)
    out = plain(lambda x: x.sin().exp().sum(), x)
    (first,) = ow.autograd.grad(out, x, retain_graph=True)
    (second,) = ow.autograd.grad(out, x)
    assert first.tolist() == second.tolist()


def test_derivatives_of_derivatives():
    x = ow.randn(3, dtype=ow.float64, requires_grad=True)
    assert ow.autograd.gradgradcheck(lambda x: plain(lambda t: t.sin().exp(), x), (x,))


def test_autocast_is_that_of_the_first_run():
    weight = ow.randn(3, 3, requires_grad=True)
    x = ow.randn(2, 3)
    with ow.autocast("cpu"):
        out = plain(lambda x: (x @ weight).exp(), x)
    assert out.dtype == ow.bfloat16
    out.sum().backward()
    assert weight.grad.dtype == ow.float32


def test_as_a_decorator():
    @checkpoint(use_reentrant=False)
    def body(x):
        """A body."""
        return x.exp()

    x = ow.randn(3, requires_grad=True)
    body(x).sum().backward()
    assert ow.equal(x.grad, x.detach().exp())
    assert body.__doc__ == "A body."


def test_contexts_of_both_runs():
    entered = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            entered.append(self.name)

        def __exit__(self, *exception):
            pass

    x = ow.randn(3, requires_grad=True)
    contexts = Context("first"), Context("second")
    plain(lambda x: x.exp(), x, context_fn=lambda: contexts).sum().backward()
    assert entered == ["first", "second"]


# --- refusals ---------------------------------------------------------------------------------------------
def changing(first, second):
    """A function that does something else when it runs again."""
    runs = iter([first, second])
    return lambda x: next(runs)(x)


def backward(body, **options):
    x = ow.randn(3, requires_grad=True)
    plain(body, x, **options).sum().backward()


def test_a_second_run_that_saves_other_shapes():
    with pytest.raises(CheckpointError, match=r"(?s)different metadata.*position 0.*Size\(\[3\]\)"):
        backward(changing(lambda x: x.exp(), lambda x: x.repeat(2).exp()))


def test_a_second_run_that_saves_less():
    body = changing(lambda x: x.exp().sin(), lambda x: x + 1)
    with pytest.raises(CheckpointError, match=r"(?s)saved during forward: 2.*recomputation: 0"):
        backward(body)


def test_a_second_run_that_saves_more():
    body = changing(lambda x: x.exp(), lambda x: x.exp().sin())
    with pytest.raises(CheckpointError, match="more tensors during recomputation"):
        backward(body, early_stop=False)


def test_errors_may_list_the_operators():
    body = changing(lambda x: x.exp().sin(), lambda x: x + 1)
    with pytest.raises(CheckpointError, match=r"(?s)original forward:.*sin.*recomputation:.*add"):
        backward(body, debug=True)


def test_a_check_may_be_left_out():
    backward(changing(lambda x: x.exp(), lambda x: x.double().exp()), determinism_check="none")


def test_reentrance_knows_backward_only():
    x = ow.randn(3, requires_grad=True)
    out = checkpoint(lambda x: x.exp(), x, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match=r"incompatible with .grad\(\)"):
        ow.autograd.grad(out, x)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda x: plain(ow.exp, x, determinism_check="all"), ValueError, "but got all"),
        (lambda x: checkpoint(ow.exp, x, use_reentrant=True, a=1), ValueError, "arguments: a"),
        (
            lambda x: checkpoint(ow.exp, x, use_reentrant=True, debug=True),
            ValueError,
            "only supported when use_reentrant=False",
        ),
        (
            lambda x: checkpoint_sequential([ow.exp], 1, x, use_reentrant=False, a=1),
            ValueError,
            "arguments: a",
        ),
    ],
)
def test_refusals(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(ow.randn(3, requires_grad=True))


def test_warnings():
    x = ow.randn(3, requires_grad=True)
    with pytest.warns(UserWarning, match="should be passed explicitly"):
        checkpoint(ow.exp, x)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(ow.exp, x.detach(), use_reentrant=True)


@pytest.mark.parametrize("transform", [ow.func.grad, ow.func.jacrev, ow.func.jacfwd])
def test_a_backward_pass_of_its_own_is_no_part_of_a_transform(transform):
    """It would lose the gradients of what is captured."""
    x = ow.randn(4, 3)

    def loss(reentrant):
        return lambda w: checkpoint(lambda y: (y * w).sin().sum(), x, use_reentrant=reentrant)

    expected = transform(lambda w: (x * w).sin().sum())(ow.ones(3))
    if transform is not ow.func.jacfwd:
        assert ow.allclose(transform(loss(False))(ow.ones(3)), expected)
    with pytest.raises(RuntimeError, match="Pass use_reentrant=False"):
        transform(loss(True))(ow.ones(3))


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_function_runs_twice_whatever_reads_what_it_saves(reentrant):
    """Both gradients of a quotient read the divisor: it is not asked for twice."""
    runs = []

    def f(x):
        runs.append(1)
        for _ in range(5):
            x = (x / (x.exp() + 1)).sin()
        return ow.where(x > 0, x, x * 2).clamp(max=x * 0.5)

    x = ow.rand(3, requires_grad=True)
    checkpoint(f, x, use_reentrant=reentrant).sum().backward()
    assert len(runs) == 2
