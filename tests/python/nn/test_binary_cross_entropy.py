"""Derivatives of binary_cross_entropy where a probability is or nearly is 0 or 1."""

import pytest

# probability, target, second derivative by the probability: t / x² + (1 - t) / (1 - x)², each quotient
# with at least 1e-24 below. PyTorch has the same far from 0 and 1 and 1e24 where loss and slope end;
# it gives 0 instead of 1 for what is certain and right.
CURVATURES = [
    (0.0, 0.0, 1.0),
    (1.0, 1.0, 1.0),
    (0.0, 1.0, 1e24),
    (1.0, 0.0, 1e24),
    (0.25, 0.0, 1 / 0.5625),
    (0.5, 1.0, 4.0),
    (0.5, 0.25, 4.0),
    (1e-7, 0.0, 1 / (1 - 1e-7) ** 2),
    (1e-13, 0.0, 1.0),
]


def _leaf(ow, value, dtype):
    return ow.tensor([value], dtype=getattr(ow, dtype), requires_grad=True)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("probability", "target", "curvature"), CURVATURES)
def test_the_second_derivative(ow, probability, target, curvature, dtype):
    x, t = _leaf(ow, probability, dtype), ow.tensor([target], dtype=getattr(ow, dtype))
    for reduction in ("mean", "sum", "none"):
        loss = ow.nn.functional.binary_cross_entropy(x, t, reduction=reduction).sum()
        (slope,) = ow.autograd.grad(loss, x, create_graph=True)
        (second,) = ow.autograd.grad(slope.sum(), x)
        assert second.item() == pytest.approx(curvature, rel=1e-6)


@pytest.mark.parametrize("probability", [0.0, 1e-13, 0.25, 1.0])
def test_mixed_derivatives_are_the_same_in_either_order(ow, probability):
    x, t = _leaf(ow, probability, "float64"), _leaf(ow, 0.25, "float64")
    loss = ow.nn.functional.binary_cross_entropy(x, t, reduction="sum")
    by_x, by_t = ow.autograd.grad(loss, (x, t), create_graph=True)
    (first,) = ow.autograd.grad(by_x, t, retain_graph=True)
    (second,) = ow.autograd.grad(by_t, x)
    assert first.item() == second.item()
    assert first.item() == -1 / max(probability * (1 - probability), 1e-12)
