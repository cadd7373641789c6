"""What gradcheck and gradgradcheck look at beside gradients, when they are asked to, and notice."""

import pytest


def inputs(ow):
    return ow.arange(1.0, 4.0, dtype=ow.float64).requires_grad_()


def square(ow, *, backward=2.0, forward=2.0):
    """x², whose derivatives are right where these factors are 2."""

    class Square(ow.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return backward * grad * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, tangent):
            return forward * tangent * ctx.saved_tensors[0]

    return Square.apply


def test_derivatives_in_forward_mode(ow):
    check, x = ow.autograd.gradcheck, inputs(ow)
    wrong = square(ow, forward=3.0)
    assert check(square(ow), x, check_forward_ad=True)
    assert check(wrong, x)
    with pytest.raises(
        RuntimeError, match="Jacobian computed with forward mode mismatch for output 0"
    ):
        check(wrong, x, check_forward_ad=True)
    assert not check(wrong, x, check_forward_ad=True, raise_exception=False)
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        check(doubled(ow, lambda g: 2 * g), x, check_forward_ad=True)


def test_gradients_are_left_out(ow):
    check, x = ow.autograd.gradcheck, inputs(ow)
    wrong = square(ow, backward=5.0)
    assert check(wrong, x, check_forward_ad=True, check_backward_ad=False)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0"):
        check(wrong, x, check_forward_ad=True)
    with pytest.raises(
        AssertionError, match="at least one of check_forward_ad or check_backward_ad"
    ):
        check(square(ow), x, check_backward_ad=False)


def doubled(ow, backward_of):
    """2 x, by any function of the gradient."""

    class Doubled(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return backward_of(grad)

    return Doubled.apply


def test_two_backward_passes_give_the_same(ow):
    check, x, calls = ow.autograd.gradcheck, inputs(ow), []

    def unsteady(grad):
        calls.append(1)
        return 2 * grad * (1 + 1e-6 * len(calls))

    with pytest.raises(RuntimeError, match="Backward is not reentrant") as error:
        check(doubled(ow, unsteady), x)
    assert "The tolerance for nondeterminism was 0.0" in str(error.value)
    calls.clear()
    assert check(doubled(ow, unsteady), x, nondet_tol=1e-3)


def test_backward_passes_within_vmap(ow):
    check, x = ow.autograd.gradcheck, inputs(ow)
    reads = doubled(ow, lambda g: ow.tensor(g.tolist(), dtype=g.dtype) * 2)
    assert check(reads, x)
    with pytest.raises(RuntimeError, match="While computing batched gradients, got: "):
        check(reads, x, check_batched_grad=True)
    assert check(lambda x: (x.sin(), x.sum()), x, check_batched_grad=True)


def test_forward_mode_within_vmap(ow):
    check, x = ow.autograd.gradcheck, inputs(ow)
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    assert check(lambda x: (x.sin(), x.prod()), x, **options)
    assert check(square(ow), x, **options)
    for batched, mode in (
        ("check_batched_forward_grad", "check_forward_ad"),
        ("check_batched_grad", "check_backward_ad"),
    ):
        asked = {batched: True, "check_forward_ad": mode == "check_backward_ad", mode: False}
        with pytest.raises(
            AssertionError, match=f"Setting {batched}=True requires {mode} to be True"
        ):
            check(square(ow), x, **asked)


def test_forward_over_reverse(ow):
    check, x = ow.autograd.gradgradcheck, inputs(ow)
    assert check(ow.sin, x, check_fwd_over_rev=True, check_batched_grad=True)
    assert check(ow.sin, x, check_fwd_over_rev=True, check_rev_over_rev=False)
    assert check(lambda a, b: a * b.exp(), (x, inputs(ow)), check_fwd_over_rev=True)

    class Wrong(ow.autograd.Function):
        """A gradient whose own derivative is off in forward mode."""

        @staticmethod
        def forward(x):
            return x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return grad * square(ow, forward=3.0)(ctx.saved_tensors[0].sqrt()) * 2

        @staticmethod
        def jvp(ctx, tangent):
            return 2 * tangent * ctx.saved_tensors[0]

    assert check(Wrong.apply, x)
    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch"):
        check(Wrong.apply, x, check_fwd_over_rev=True)


def test_seeds_need_not_be_contiguous(ow):
    seen = []

    def backward(grad):
        seen.append(grad.is_contiguous())
        return 2 * grad

    function = doubled(ow, backward)
    assert ow.autograd.gradgradcheck(function, inputs(ow), gen_non_contig_grad_outputs=True)
    assert False in seen
    seen.clear()
    assert ow.autograd.gradgradcheck(function, inputs(ow))
    assert False not in seen
