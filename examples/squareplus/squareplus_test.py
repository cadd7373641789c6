"""The operator library of examples/squareplus: values, forms, gradients and errors, in Python."""

import math
from typing import Any

import opweave as ow
import pytest
import squareplus_ops

Tensor = Any  # with the methods that the library adds, of which stubs know nothing
VALUES = [-3.0, -0.5, 0.0, 0.5, 40.0]


def expected(x: float, b: float) -> float:
    return (x + math.sqrt(x * x + b)) / 2


@pytest.mark.parametrize("b", [4, 0.25])
def test_values(b: float) -> None:
    x: Tensor = ow.tensor(VALUES, dtype=ow.float64)
    want = pytest.approx([expected(v, b) for v in VALUES], rel=1e-14)
    assert ow.squareplus(x, b=b).tolist() == want
    assert x.squareplus(b=b).tolist() == want
    assert ow.squareplus(x, b=b, out=ow.empty(5, dtype=ow.float64)).tolist() == want
    assert squareplus_ops.squareplus_(x, b=b).tolist() == want
    assert x.tolist() == want


def test_default_and_dtypes() -> None:
    for dtype, precision in [(ow.float32, 1e-6), (ow.bfloat16, 1e-2), (ow.float16, 1e-3)]:
        result = ow.squareplus(ow.tensor(VALUES, dtype=dtype))
        assert result.dtype == dtype
        assert result.tolist() == pytest.approx([expected(v, 4) for v in VALUES], rel=precision)
    with pytest.raises(NotImplementedError, match="\"squareplus\" not implemented for 'Long'"):
        ow.squareplus(ow.tensor([1]))


def test_strided_and_empty() -> None:
    x = ow.arange(6, dtype=ow.float64).reshape(2, 3)
    want = [[expected(v, 4) for v in row] for row in x.t().tolist()]
    assert [pytest.approx(row) for row in want] == ow.squareplus(x.t()).tolist()
    assert ow.squareplus(ow.empty(0, 3)).shape == (0, 3)
    assert ow.squareplus(ow.tensor(1.0)).shape == ()


def test_gradient() -> None:
    x: Tensor = ow.tensor(VALUES, dtype=ow.float64, requires_grad=True)
    x.squareplus().sum().backward()
    assert x.grad.tolist() == pytest.approx([(1 + v / math.sqrt(v * v + 4)) / 2 for v in VALUES])
    assert ow.autograd.gradcheck(lambda t: ow.squareplus(t, b=0.7), (x,))
    assert ow.autograd.gradgradcheck(ow.squareplus, (x,))


def test_inplace_gradient() -> None:
    x = ow.tensor(VALUES, dtype=ow.float64, requires_grad=True)
    assert ow.autograd.gradcheck(lambda t: t.clone().squareplus_(), (x,))


def test_documentation() -> None:
    assert ow.squareplus.__doc__.startswith("squareplus(input, *, b=4, out=None) -> Tensor")
    assert "Barron" in ow.squareplus.__doc__
