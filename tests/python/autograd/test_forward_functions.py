"""Forward-mode differentiation through functions of the program's own, with their rules for it."""

import opweave as ow
import pytest
from opweave.func import grad, jvp
from opweave.testing import assert_close


@pytest.fixture
def x():
    return ow.randn(4, 3, dtype=ow.float64, generator=ow.Generator().manual_seed(1))


@pytest.fixture
def v():
    return ow.randn(4, 3, dtype=ow.float64, generator=ow.Generator().manual_seed(2))


class Cube(ow.autograd.Function):
    """Twice the derivative of a cube, so that nothing else can pass for it."""

    @staticmethod
    def forward(ctx, a):
        ctx.save_for_forward(a)
        ctx.save_for_backward(a)
        return a**3

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return grad * 6 * a**2

    @staticmethod
    def jvp(ctx, tangent):
        (a,) = ctx.saved_tensors
        return tangent * 6 * a**2


class Opaque(ow.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def test_custom_function(x, v):
    assert_close(jvp(Cube.apply, (x,), (v,))[1], 6 * x**2 * v)
    assert_close(jvp(lambda a: jvp(Cube.apply, (a,), (v,))[1], (x,), (v,))[1], 12 * x * v * v)
    with pytest.raises(NotImplementedError, match="implement the jvp function"):
        jvp(Opaque.apply, (x,), (v,))


@pytest.mark.parametrize("materialized", [True, False])
def test_what_jvp_gets_of_arguments_without_a_tangent(x, v, materialized):
    class Told(ow.autograd.Function):
        @staticmethod
        def forward(a, b, index, factor):
            return a * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.set_materialize_grads(materialized)

        @staticmethod
        def jvp(ctx, of_a, of_b, of_index, of_factor):
            assert (of_index, of_factor) == (None, None)
            told.append(of_b)
            return of_a * 3

    told = []
    wide = ow.ones(2, 3, dtype=ow.float32)
    assert_close(jvp(lambda a: Told.apply(a, wide, ow.tensor([1]), 3), (x,), (v,))[1], v * 3)
    assert_close(
        jvp(lambda a: Told.apply(a, a.detach().floor(), ow.tensor([1]), 3), (x,), (v,))[1], v * 3
    )
    if materialized:
        assert [(t.shape, t.dtype) for t in told] == [((2, 3), ow.float32), (x.shape, x.dtype)]
        assert not any(t.any() for t in told)
    else:
        assert told[0] is None


def test_forward_over_the_backward_of_a_custom_function(x, v):
    assert_close(jvp(grad(lambda a: Cube.apply(a).sum()), (x,), (v,))[1], 12 * x * v)


def test_a_tensor_that_is_left_out():
    """Where tangents come of two backward passes, arguments that are none have no gradients to ask for."""
    x, v = ow.tensor([0.1, 0.5]), ow.ones(2)
    with pytest.raises(RuntimeError, match=r"the derivative for 'histogram.bin_ct' is not implem"):
        jvp(lambda a: ow.histogram(a, 3)[0], (x,), (v,))
