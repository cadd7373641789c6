"""Gradients where formulas have a corner or divide by zero, and the function may have none."""

import math

import pytest


def derivatives(ow, f, *values):
    """The value, and the first and second derivatives by the first argument, of a sum."""
    x, *others = [ow.tensor(v, dtype=ow.float64) for v in values]
    x.requires_grad_()
    (first,) = ow.autograd.grad(f(x, *others).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)
    return first.tolist(), second.tolist()


def test_losses_are_smooth_at_zero(ow):
    nn = ow.nn.functional
    first, second = derivatives(
        ow, lambda x, y: nn.soft_margin_loss(x, y, reduction="none"), [0.0, -0.0], [1.0, -1.0]
    )
    assert first == [-0.5, 0.5]
    assert second == [0.25, 0.25]
    first, second = derivatives(
        ow,
        lambda x, y: nn.multilabel_soft_margin_loss(x[None], y[None], reduction="sum"),
        [0.0, 0.0],
        [1.0, 0.0],
    )
    assert first == [-0.25, 0.25]
    assert second == [0.125, 0.125]


@pytest.mark.parametrize("z", [-800.0, -3.0, 0.5, 800.0, math.inf, -math.inf])
def test_soft_margin_far_out(ow, z):
    x = ow.tensor([z], dtype=ow.float64, requires_grad=True)
    loss = ow.nn.functional.soft_margin_loss(x, ow.ones_like(x))
    (slope,) = ow.autograd.grad(loss, x)
    size = math.exp(-abs(z))
    assert loss.item() == pytest.approx(max(-z, 0) + math.log1p(size), rel=1e-15)
    assert slope.item() == pytest.approx(-(size if z > 0 else 1) / (1 + size), rel=1e-15)


def test_what_is_no_worse_than_the_margin_has_no_gradient(ow):
    """As in PyTorch: scores that tie, for instance."""
    nn = ow.nn.functional
    x = ow.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = ow.tensor([1.0, 1.0, 3.0])
    losses = {
        "ranking": nn.margin_ranking_loss(x, y, ow.tensor([1.0, -1.0, -1.0]), reduction="sum"),
        "hinge": nn.hinge_embedding_loss(x - y + 1, ow.tensor([-1.0, -1.0, -1.0]), reduction="sum"),
        "cosine": nn.cosine_embedding_loss(
            ow.tensor([[1.0, 0.0]]) * x[0], ow.tensor([[0.0, 1.0]]) * x[2], ow.tensor([-1.0])
        ),
        "margin": nn.multi_margin_loss(x[None], ow.tensor([2])),
        "labels": nn.multilabel_margin_loss(x[None] * 1, ow.tensor([[2, -1, 0]])),
    }
    found = {n: ow.autograd.grad(loss, x)[0].tolist() for n, loss in losses.items()}
    none = [0.0, 0.0, 0.0]
    assert found == {
        "ranking": [0.0, 1.0, 0.0],
        "hinge": none,
        "cosine": none,
        "margin": none,
        "labels": none,
    }


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0])
@pytest.mark.parametrize("size", [0, 3])
def test_norms_of_zeros(ow, p, size):
    x = ow.zeros(size, dtype=ow.float64, requires_grad=True)
    grad = ow.ones((), dtype=ow.float64, requires_grad=True)
    (slope,) = ow.autograd.grad(ow.linalg.vector_norm(x, p), x, grad, create_graph=True)
    by_grad, again = ow.autograd.grad(slope.sum(), [grad, x])
    assert by_grad.item() == 0
    assert again.tolist() == [0.0] * size


@pytest.mark.parametrize("p", [1.5, 2.5, 3.5])
def test_second_derivatives_of_distances_in_one_coordinate(ow, p):
    x = ow.tensor([[0.0, 1.0]], dtype=ow.float64, requires_grad=True)
    y = ow.tensor([[0.0, 3.0]], dtype=ow.float64)
    (slope,) = ow.autograd.grad(ow.cdist(x, y, p).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(slope.sum(), x)
    assert slope.tolist() == [[0.0, -1.0]]
    assert second.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("infinity", [math.inf, -math.inf])
@pytest.mark.parametrize("n", [2, 3, 40, 5000])
def test_infinities_have_no_variance(ow, dtype, infinity, n):
    x = ow.full((n,), infinity, dtype=getattr(ow, dtype))
    for of in (ow.var, ow.std):
        assert math.isnan(of(x))
        assert of(ow.stack([x, x], 1), 0).isnan().all()
        assert of(ow.stack([x, x]), 1).isnan().all()


def test_nextafter_under_vmap(ow):
    x = ow.tensor([1.0, 2.0])
    other = ow.tensor(3.0)
    slope = ow.func.vmap(ow.func.grad(lambda a: ow.nextafter(a, other)))(x)
    assert slope.tolist() == [1.0, 1.0]
    x.requires_grad_()
    (slope,) = ow.autograd.grad(ow.func.vmap(lambda a: ow.nextafter(a, other))(x).sum(), x)
    assert slope.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_softplus_far_out(ow, dtype):
    """Where exp(x) leaves the range, and its square."""
    numbers = [-95.0, -12.0, 0.0, 12.0, 50.0, 95.0]
    x = ow.tensor(numbers, dtype=getattr(ow, dtype), requires_grad=True)
    y = ow.nn.functional.softplus(x, 1, 100)
    (first,) = ow.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)
    few = ow.finfo(x.dtype)
    near = {"rel": 8 * few.eps, "abs": 2 * few.smallest_normal}
    small = [math.exp(-abs(n)) for n in numbers]
    assert y.tolist() == [
        pytest.approx(max(n, 0) + math.log1p(s), **near) for n, s in zip(numbers, small)
    ]
    assert first.tolist() == [
        pytest.approx((1 if n > 0 else s) / (1 + s), **near) for n, s in zip(numbers, small)
    ]
    assert second.tolist() == [pytest.approx(s / (1 + s) ** 2, **near) for s in small]


def test_mish_of_half_has_second_derivatives(ow):
    x = ow.tensor([0.0, 5.0, 12.0, 20.0, 30.0], dtype=ow.float16, requires_grad=True)
    (first,) = ow.autograd.grad(ow.nn.functional.mish(x).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)
    assert first.tolist() == pytest.approx([0.6, 1.0, 1.0, 1.0, 1.0], abs=2e-3)
    assert second.tolist() == pytest.approx([0.64, -0.0014, 0.0, 0.0, 0.0], abs=2e-3)


@pytest.mark.parametrize("name", ["std", "std_mean"])
def test_gradients_of_small_and_no_deviations(ow, name):
    def deviation(x):
        found = getattr(ow, name)(x)
        return found[0] if isinstance(found, tuple) else found

    x = ow.tensor([1e-5, 0.0, 1e-5], dtype=ow.float16, requires_grad=True)
    (slope,) = ow.autograd.grad(deviation(x), x)
    assert slope.tolist() == pytest.approx([0.2887, -0.5774, 0.2887], rel=0.05)
    x = ow.ones(3, dtype=ow.float64, requires_grad=True)
    grad = ow.ones((), dtype=ow.float64, requires_grad=True)
    (slope,) = ow.autograd.grad(deviation(x), x, grad, create_graph=True)
    assert slope.tolist() == [0.0, 0.0, 0.0]
    by_grad, again = ow.autograd.grad(slope.sum(), [grad, x])
    assert by_grad.item() == 0
    assert again.tolist() == [0.0, 0.0, 0.0]
