"""Custom functions written in Python."""

import pytest


def leaf(ow, *values):
    return ow.tensor(values, dtype=ow.float64, requires_grad=True)


def square(ow):
    class Square(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    return Square


def test_forward_and_backward(ow):
    x = leaf(ow, 3.0, 4.0)
    y = square(ow).apply(x)
    assert y.tolist() == [9.0, 16.0]
    assert y.requires_grad
    assert "Square" in y.grad_fn.name()
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]


def test_nothing_is_recorded_without_grad(ow):
    assert not square(ow).apply(ow.ones(2)).requires_grad
    with ow.no_grad():
        assert not square(ow).apply(leaf(ow, 1.0)).requires_grad


def test_forward_runs_without_grad(ow):
    class Probe(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            assert not ow.is_grad_enabled()
            return x.exp()

        @staticmethod
        def backward(ctx, grad):
            assert not ow.is_grad_enabled()
            return grad

    x = leaf(ow, 1.0)
    Probe.apply(x).sum().backward()
    assert x.grad.item() == 1.0


def test_double_backward(ow):
    x = leaf(ow, 3.0)
    (first,) = ow.autograd.grad(square(ow).apply(x).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)
    assert (first.item(), second.item()) == (6.0, 2.0)


def test_several_inputs_and_outputs(ow):
    class Both(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.factor = factor
            ctx.save_for_backward(x, y)
            return x * y, x + factor * y

        @staticmethod
        def backward(ctx, grad_product, grad_sum):
            x, y = ctx.saved_tensors
            return (
                grad_product * y + grad_sum,
                None,
                grad_product * x + ctx.factor * grad_sum,
            )

    x, y = leaf(ow, 2.0), leaf(ow, 5.0)
    product, total = Both.apply(x, 10, y)
    (product * 3 + total).sum().backward()
    assert (x.grad.item(), y.grad.item()) == (16.0, 16.0)


def test_needs_input_grad(ow):
    seen = []

    class Probe(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, n):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            return grad, None, None

    Probe.apply(leaf(ow, 1.0), ow.ones(1, dtype=ow.float64), 3).sum().backward()
    assert seen == [(True, False, False)]


def test_unused_outputs_get_zeros(ow):
    seen = []

    def make(materialize):
        class Two(ow.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 1, x * 2

            @staticmethod
            def backward(ctx, first, second):
                seen.append(second if second is None else second.tolist())
                return first

        return Two

    for materialize in (True, False):
        make(materialize).apply(leaf(ow, 1.0))[0].sum().backward()
    assert seen == [[0.0], None]


@pytest.mark.parametrize("kind", ["marked", "whole", "truth"])
def test_results_without_gradients_get_zeros_of_their_kind(ow, kind):
    seen = []

    class Two(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            other = {"marked": lambda: x * 3, "whole": lambda: x.argsort(), "truth": lambda: x > 0}
            other = other[kind]()
            if kind == "marked":
                ctx.mark_non_differentiable(other)
            return x * 2, other

        @staticmethod
        def backward(ctx, first, second):
            seen.append((second.dtype, second.tolist()))
            return first * 2

    x = leaf(ow, 1.0, 2.0)
    first, other = Two.apply(x)
    first.sum().backward()
    assert x.grad.tolist() == [2, 2]
    assert (seen, other.requires_grad) == ([(other.dtype, [0, 0])], False)


def scaled(ow, *, setup):
    """x * k, told by keyword or by default; a gradient for each."""

    class Scaled(ow.autograd.Function):
        if setup:

            @staticmethod
            def forward(x, k=1, q=2):
                return x * k + q

            @staticmethod
            def setup_context(ctx, inputs, output):
                _, ctx.k, ctx.q = inputs

        else:

            @staticmethod
            def forward(ctx, x, k=1, q=2):
                ctx.k, ctx.q = k, q
                return x * k + q

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.k, None, None

    return Scaled


@pytest.mark.parametrize("setup", [False, True])
def test_arguments_by_keyword(ow, setup):
    function = scaled(ow, setup=setup)
    for call, value, slope in (
        (lambda x: function.apply(x, k=3), 5, 3),
        (lambda x: function.apply(x, q=5), 6, 1),
        (lambda x: function.apply(x=x, k=4, q=0), 4, 4),
        (lambda x: function.apply(x, 2, q=1), 3, 2),
        (lambda x: function.apply(x), 3, 1),
    ):
        x = leaf(ow, 1.0)
        found = call(x)
        found.sum().backward()
        assert (found.item(), x.grad.item()) == (value, slope)


def test_a_gradient_of_what_is_given_by_keyword(ow):
    class Product(ow.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    a, b = leaf(ow, 2.0), leaf(ow, 5.0)
    Product.apply(b=b, a=a).backward()
    assert (a.grad.item(), b.grad.item()) == (5, 2)


@pytest.mark.parametrize("setup", [False, True])
def test_wrong_keywords(ow, setup):
    function = scaled(ow, setup=setup)
    one = ow.ones(1)
    for call, said in (
        (lambda: function.apply(one, z=3), r"forward\(\) got an unexpected keyword argument 'z'"),
        (lambda: function.apply(one, ctx=3), r"got an unexpected keyword argument 'ctx'"),
        (lambda: function.apply(one, x=one), r"forward\(\) got multiple values for argument 'x'"),
        (lambda: function.apply(k=3), r"forward\(\) missing required argument: 'x' \(position 0\)"),
    ):
        with pytest.raises(TypeError, match=said):
            call()


def test_mark_dirty(ow):
    class AddOne(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    x = leaf(ow, 1.0)
    y = x * 2
    z = AddOne.apply(y)
    assert z is y
    z.sum().backward()
    assert x.grad.item() == 20.0


def test_mark_non_differentiable(ow):
    class Split(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            rounded = x.round()
            ctx.mark_non_differentiable(rounded)
            return x - rounded, rounded

        @staticmethod
        def backward(ctx, grad, _):
            return grad

    x = leaf(ow, 1.25)
    fraction, rounded = Split.apply(x)
    assert fraction.requires_grad
    assert not rounded.requires_grad
    fraction.sum().backward()
    assert x.grad.item() == 1.0


def test_returning_an_input(ow):
    class Scale(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    x = leaf(ow, 2.0)
    y = Scale.apply(x)
    assert y is not x
    y.sum().backward()
    assert x.grad.item() == 5.0


def test_saved_tensors_are_checked(ow):
    x = leaf(ow, 3.0)
    y = x * 1
    z = square(ow).apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified"):
        z.sum().backward()


def test_saved_tensors_are_freed(ow):
    x = leaf(ow, 3.0)
    z = square(ow).apply(x).sum()
    z.backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_saved_outputs_do_not_leak(ow):
    class Exp(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            assert y.requires_grad
            return grad * y

    x = leaf(ow, 0.0)
    Exp.apply(x).sum().backward()
    assert x.grad.item() == 1.0


def test_setup_context(ow):
    class Cube(ow.autograd.Function):
        @staticmethod
        def forward(x, n):
            return x**n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.n = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return ctx.n * x ** (ctx.n - 1) * grad, None

    x = leaf(ow, 2.0)
    Cube.apply(x, 3).sum().backward()
    assert x.grad.item() == 12.0


def test_once_differentiable(ow):
    class Once(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @ow.autograd.function.once_differentiable
        def backward(ctx, grad):
            return grad * 2

    x = leaf(ow, 2.0)
    (first,) = ow.autograd.grad(Once.apply(x).sum() * x.sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        (lambda g: (g, g), RuntimeError),
        (lambda g: g.new_ones(7), RuntimeError),
        (lambda g: "x", (TypeError, RuntimeError)),
    ],
)
def test_wrong_gradients(ow, returned, error):
    class Wrong(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return returned(grad)

    with pytest.raises(error):
        Wrong.apply(leaf(ow, 1.0, 2.0)).sum().backward()


def test_exceptions_arrive(ow):
    class Fails(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("in backward")

    with pytest.raises(KeyError, match="in backward"):
        Fails.apply(leaf(ow, 1.0)).sum().backward()


def test_backward_is_required(ow):
    class NoBackward(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    y = NoBackward.apply(leaf(ow, 1.0))
    with pytest.raises(NotImplementedError):
        y.sum().backward()


def test_a_function_inside_a_function(ow):
    inner = square(ow)

    class Outer(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**4

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            with ow.enable_grad():
                y = x.detach().requires_grad_()
                (g,) = ow.autograd.grad(inner.apply(inner.apply(y)), y, grad)
            return g

    x = leaf(ow, 2.0)
    Outer.apply(x).sum().backward()
    assert x.grad.item() == 32.0


def test_vjp_is_another_name_for_backward():
    import opweave as ow

    class Named(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    class Both(Named):
        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = ow.ones(2, requires_grad=True)
    Named.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        Both.apply(x).sum().backward()


def test_a_backward_that_calls_itself_without_end(ow):
    class Endless(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            with ow.enable_grad():
                Endless.apply(ow.ones(2, requires_grad=True)).sum().backward()
            return grad

    text = (
        r"^backward\(\): 10000 calls run inside one another\. A Function or a hook that computes "
        r"gradients of what it is part of never ends$"
    )
    with pytest.raises(RuntimeError, match=text):
        Endless.apply(ow.ones(2, requires_grad=True)).sum().backward()


def test_what_is_marked_as_changed_has_to_be_returned(ow):
    class Twice(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.detach() * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    for x in (leaf(ow, 1.0) * 1, ow.ones(1)):
        with pytest.raises(
            RuntimeError,
            match=r"marked as dirty .* were not returned as output: argument 0 of mark_dirty",
        ):
            Twice.apply(x)
