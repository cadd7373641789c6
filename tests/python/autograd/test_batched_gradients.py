"""autograd.grad() of a batch of cotangents: is_grads_batched."""

import opweave as ow
import pytest
from opweave.autograd import grad


@pytest.fixture
def x():
    return ow.tensor([0.5, -1.0, 2.0], dtype=ow.float64, requires_grad=True)


def eye():
    return ow.eye(3, dtype=ow.float64)


def test_rows_of_a_jacobian(x):
    (rows,) = grad(x**3, x, eye(), is_grads_batched=True)
    assert ow.equal(rows, ow.diag(3 * x.detach() ** 2))
    assert not rows.requires_grad


def test_several_outputs_and_inputs(x):
    y = ow.ones(3, dtype=ow.float64, requires_grad=True)
    outputs = [x * y, (x * x).sum()]
    weights = ow.tensor([1.0, 2.0, 3.0], dtype=ow.float64)
    by_x, by_y = grad(outputs, [x, y], [eye(), weights], is_grads_batched=True)
    assert ow.allclose(by_x, eye() + 2 * weights[:, None] * x.detach())
    assert ow.allclose(by_y, ow.diag(x.detach()))


def test_a_write_to_a_view(x):
    y = x.clone()
    y[1:].mul_(x[:2])
    (rows,) = grad(y, x, eye(), is_grads_batched=True, retain_graph=True)
    each = [grad(y, x, seed, retain_graph=True)[0] for seed in eye()]
    assert ow.equal(rows, ow.stack(each))


def test_they_can_be_differentiated(x):
    (rows,) = grad(x**3, x, eye(), is_grads_batched=True, create_graph=True)
    (second,) = grad(rows.sum(), x)
    assert ow.allclose(second, 6 * x.detach())


def test_what_is_unused(x):
    other = ow.ones(2, requires_grad=True)
    inputs = [x, other]
    with pytest.raises(RuntimeError, match="allow_unused"):
        grad(x**2, inputs, eye(), is_grads_batched=True)
    assert grad(x**2, inputs, eye(), allow_unused=True, is_grads_batched=True)[1] is None
    zeros = grad(x**2, inputs, eye(), is_grads_batched=True, materialize_grads=True)[1]
    assert ow.equal(zeros, ow.zeros(2))


WRONG = {
    "none": (lambda x: grad(x, x, is_grads_batched=True), RuntimeError, "implicitly created"),
    "shape": (
        lambda x: grad(x, x, ow.ones(4, 2), is_grads_batched=True),
        RuntimeError,
        r"grad_output\[0\] has a shape of \(4, 2\) and output\[0\] has a shape of \(3,\)",
    ),
    "counts": (
        lambda x: grad([x, x], x, [ow.ones(4, 3), ow.ones(5, 3)], is_grads_batched=True),
        ValueError,
        r"got sizes \[4, 5\]",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_batches(x, name):
    call, error, words = WRONG[name]
    with pytest.raises(error, match=words):
        call(x)
