"""polygamma: its values, and the derivatives of lgamma and digamma of any order, which it is."""

import math

import opweave as ow
import pytest

# To 17 digits, from a computation with 60.
VALUES = (
    (0, 2.5, 0.7031566406452432),
    (1, 0.3, 12.245364546107732),
    (1, -2.5, 9.539246644989124),
    (2, 1.0, -2.4041138063191885),
    (2, -0.75, -124.58699919679619),
    (2, 1e10, -1.0000000001e-20),
    (3, -3.25, 1558.508802818279),
    (3, -1000.5, 194.81818206601088),
    (4, 0.001, -2.4000000000000024e16),
    (5, 10.0, 0.0003059451621172682),
    (6, -0.5, -43.457923803023284),
    (7, 123.5, 1.6901674823560956e-12),
    (20, 2.5, -10709198259.124132),
    (50, 40.25, -6.1451331260486326e-18),
    (150, 3.0, -5.147352947036917e190),
    (200, 100.0, -9.125424691096223e-28),
    (2000, 1000.0, -3.8355185180233863e-268),
)


@pytest.mark.parametrize(("n", "x", "wanted"), VALUES)
def test_values(n, x, wanted):
    assert ow.polygamma(n, ow.tensor(x, dtype=ow.float64)).item() == pytest.approx(
        wanted, rel=2e-15
    )
    x32 = ow.tensor(x, dtype=ow.float32)
    near = ow.polygamma(n, x32.double()).float().item()
    assert ow.polygamma(n, x32).item() == pytest.approx(near, rel=1e-6, abs=1e-44)


def test_ends():
    x = ow.tensor([0.0, -3.0, math.inf, -math.inf, math.nan], dtype=ow.float64)
    assert str(ow.polygamma(2, x).tolist()) == "[-inf, -inf, -0.0, -inf, nan]"
    assert str(ow.polygamma(3, x).tolist()) == "[inf, inf, 0.0, inf, nan]"


@pytest.mark.parametrize("tiny", [-1e-300, -5e-324])
def test_beside_the_pole_at_zero(tiny):
    x = ow.tensor(tiny, dtype=ow.float64)
    assert [ow.polygamma(n, x).item() for n in range(1, 6)] == [math.inf] * 5


def test_trigamma_has_no_limit():
    for dtype in (ow.float32, ow.float64):
        assert math.isnan(ow.polygamma(1, ow.tensor(-math.inf, dtype=dtype)).item())


def test_forms():
    x = ow.tensor([1.5, 2.5])
    wanted = ow.polygamma(2, x)
    assert x.polygamma(2).tolist() == wanted.tolist()
    assert ow.polygamma(2, input=x, out=ow.empty(2)).tolist() == wanted.tolist()
    assert x.polygamma_(2).tolist() == wanted.tolist() == x.tolist()
    assert ow.polygamma(1, ow.tensor([1, 2])).dtype == ow.float32
    for call in (ow.polygamma, lambda n, t: t.polygamma_(n)):
        with pytest.raises(RuntimeError, match=r"polygamma\(n, x\) does not support negative n\."):
            call(-1, ow.ones(2))


@pytest.mark.parametrize("function", [ow.lgamma, ow.digamma, lambda x: ow.polygamma(1, x)])
def test_derivatives_of_any_order(function):
    x = ow.tensor([0.75, 1.5, 2.5], dtype=ow.float64, requires_grad=True)
    first = {ow.lgamma: 0, ow.digamma: 1}.get(function, 2)
    y = function(x)
    for n in range(first, first + 5):
        (y,) = ow.autograd.grad(y.sum(), x, create_graph=True)
        wanted = ow.polygamma(n, x.detach())
        assert y.tolist() == pytest.approx(wanted.tolist(), rel=1e-14)


def test_forward_derivatives():
    x = ow.tensor([0.75, 1.5], dtype=ow.float64)
    _, first = ow.func.jvp(ow.digamma, (x,), (ow.ones_like(x),))
    assert first.tolist() == pytest.approx(ow.polygamma(1, x).tolist())
    hessian = ow.func.hessian(lambda t: ow.digamma(t).sum())(x)
    assert hessian.diagonal().tolist() == pytest.approx(ow.polygamma(2, x).tolist())
