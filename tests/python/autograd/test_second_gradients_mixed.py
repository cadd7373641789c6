"""Gradients of gradients where tensors of several dtypes meet: they are those of all of it in one dtype."""

import opweave as ow
import opweave.nn.functional as F
import pytest
from opweave.autograd import grad

FUNCTIONS = {
    "pow": lambda fixed, x: ow.pow(fixed, x),
    "xlogy": lambda fixed, x: ow.xlogy(x * x, fixed),
    "soft_margin_loss": lambda fixed, x: F.soft_margin_loss(x, fixed),
    "multilabel_soft_margin_loss": lambda fixed, x: F.multilabel_soft_margin_loss(x, fixed),
    "poisson_nll_loss": lambda fixed, x: F.poisson_nll_loss(fixed, x),
    "hypot": lambda fixed, x: ow.hypot(x, fixed.to(ow.float16)),
    "atan2": lambda fixed, x: ow.atan2(x, fixed.to(ow.float16) * 3),
}


def second_gradient(function, fixed):
    x = ow.tensor([0.5, 0.25, 0.75], dtype=ow.float64, requires_grad=True)
    y = function(fixed, x)
    (first,) = grad((y * y).sum(), x, create_graph=True)
    (second,) = grad((first * first).sum(), x)
    return second


def second_tangent(function, fixed):
    x, t = ow.tensor([0.5, 0.25, 0.75], dtype=ow.float64), ow.ones(3, dtype=ow.float64)
    along = lambda x: ow.func.jvp(lambda x: function(fixed, x), (x,), (t,))[1]  # noqa: E731
    return ow.func.jvp(along, (x,), (t,))[1]


@pytest.mark.parametrize("dtype", [ow.uint8, ow.int8, ow.int64, ow.float16])
@pytest.mark.parametrize("derivative", [second_gradient, second_tangent])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_wraps_or_loses_digits(name, derivative, dtype):
    fixed = ow.tensor([17, 20, 100], dtype=dtype)
    found = derivative(FUNCTIONS[name], fixed)
    expected = derivative(FUNCTIONS[name], fixed.to(ow.float64))
    ow.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)
