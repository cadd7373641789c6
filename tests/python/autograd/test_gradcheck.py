"""gradcheck, gradgradcheck and autograd.functional: they notice wrong derivatives."""

import pytest


def inputs(ow, *shapes):
    ow.manual_seed(0)
    return tuple(ow.rand(*s, dtype=ow.float64, requires_grad=True) for s in shapes)


def wrong_gradient(ow, factor):
    """A function whose backward is off by a factor."""

    class Wrong(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x * factor

    return Wrong.apply


def test_right_gradients(ow):
    check = ow.autograd.gradcheck
    assert check(lambda x: x.exp(), inputs(ow, (2, 3)))
    assert check(lambda x, y: (x * y).sin(), inputs(ow, (2, 3), (3,)))
    assert check(lambda x, y: x @ y, inputs(ow, (2, 3), (3, 2)))
    assert check(lambda x: (x.sum(0), x.prod()), inputs(ow, (2, 3)))
    assert check(lambda x: x[0] * 2, inputs(ow, (2, 3)))
    assert check(lambda x, n: x * n, (*inputs(ow, (2,)), 3))
    assert check(ow.nn.functional.softmax, (*inputs(ow, (2, 3)), 1))


def test_wrong_gradients(ow):
    check = ow.autograd.gradcheck
    assert check(wrong_gradient(ow, 1.0), inputs(ow, (3,)))
    with pytest.raises(RuntimeError):
        check(wrong_gradient(ow, 1.01), inputs(ow, (3,)))
    assert not check(wrong_gradient(ow, -1), inputs(ow, (3,)), raise_exception=False)
    assert check(wrong_gradient(ow, 1.01), inputs(ow, (3,)), rtol=0.1, atol=0.1)


def test_gradgradcheck(ow):
    check = ow.autograd.gradgradcheck
    assert check(lambda x: x.sin() * x, inputs(ow, (3,)))
    assert check(lambda x, y: (x @ y).tanh(), inputs(ow, (2, 3), (3, 2)))

    class WrongSecond(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.detach().exp()

    assert ow.autograd.gradcheck(WrongSecond.apply, inputs(ow, (3,)))
    with pytest.raises(RuntimeError):
        check(WrongSecond.apply, inputs(ow, (3,)))


@pytest.mark.filterwarnings("ignore")
def test_inputs_are_checked(ow):
    with pytest.raises(ValueError, match="requires_grad"):
        ow.autograd.gradcheck(lambda x: x, (ow.ones(2, dtype=ow.float64),))
    assert not ow.autograd.gradcheck(
        lambda x: x * x, (ow.rand(4, requires_grad=True),), raise_exception=False
    )


CASES = {
    "layer_norm": lambda nn, x: nn.layer_norm(x, (4,)),
    "gelu": lambda nn, x: nn.gelu(x),
    "gelu tanh": lambda nn, x: nn.gelu(x, approximate="tanh"),
    "log_softmax": lambda nn, x: nn.log_softmax(x, 1),
    "logsumexp": lambda nn, x: x.logsumexp(1),
    "std": lambda nn, x: x.std(0),
    "norm": lambda nn, x: x.norm(),
    "cumprod": lambda nn, x: x.cumprod(1),
    "prod": lambda nn, x: x.prod(1),
    "sort": lambda nn, x: x.sort(1)[0],
    "index": lambda nn, x: x[[0, 0, 2], 1:],
    "pad": lambda nn, x: nn.pad(x, (1, 2)),
    "avg_pool2d": lambda nn, x: nn.avg_pool2d(x[None], 2, 1),
    "conv2d": lambda nn, x: nn.conv2d(x[None, None], x[None, None, :2, :2], padding=1),
    "conv_transpose2d": lambda nn, x: nn.conv_transpose2d(
        x[None, None], x[None, None, :2, :2], stride=2
    ),
    "cross_entropy": lambda nn, x: nn.cross_entropy(x, x.softmax(1)),
    "smooth_l1": lambda nn, x: nn.smooth_l1_loss(x, x.detach() * 0 + 0.3, beta=0.2),
    "bce": lambda nn, x: nn.binary_cross_entropy_with_logits(x, x.detach() * 0 + 0.3),
    "batch_norm": lambda nn, x: nn.batch_norm(x, None, None, training=True),
    "group_norm": lambda nn, x: nn.group_norm(x, 2),
    "einsum": lambda nn, x: (x[:, None] * x[None]).sum(0),
    "scatter_add": lambda nn, x: x.scatter_add(0, (x > 0.5).long(), x * x),
    "where": lambda nn, x: x.where(x > 0.5, x * x),
    "unflatten": lambda nn, x: x.unflatten(1, (2, 2)).transpose(1, 2).flatten() ** 2,
}


@pytest.mark.parametrize("name", CASES)
def test_operators(ow, name):
    x = inputs(ow, (3, 4))
    assert ow.autograd.gradcheck(lambda t: CASES[name](ow.nn.functional, t), x)
    assert ow.autograd.gradgradcheck(lambda t: CASES[name](ow.nn.functional, t), x)


def test_attention(ow):
    def attention(x):
        return ow.nn.functional.scaled_dot_product_attention(x, x, x)

    assert ow.autograd.gradcheck(attention, inputs(ow, (2, 3, 4)))


@pytest.mark.parametrize("options", [{}, {"create_graph": True}, {"vectorize": True}])
def test_derivatives_of_numbers_by_numbers(ow, options):
    jacobian, hessian = ow.autograd.functional.jacobian, ow.autograd.functional.hessian
    x, v = ow.tensor(3.0), ow.ones(2)
    assert jacobian(lambda t: t * 2, x, **options).tolist() == 2.0
    assert jacobian(lambda t: ow.ones(()), x, **options).tolist() == 0.0
    by_number, by_vector = jacobian(lambda t, s: t**3 * s.sum(), (x, v), **options)
    assert (by_number.tolist(), by_vector.tolist()) == (54.0, [27.0, 27.0])
    assert hessian(lambda t: t**3, x, **options).tolist() == 18.0
    (twice, mixed), (mixed_too, none) = hessian(lambda t, s: t**3 * s.sum(), (x, v), **options)
    assert (twice.tolist(), mixed.tolist()) == (36.0, [27.0, 27.0])
    assert (mixed_too.tolist(), none.tolist()) == ([27.0, 27.0], [[0.0, 0.0], [0.0, 0.0]])


def test_derivatives_of_what_is_no_tensor(ow):
    jacobian = ow.autograd.functional.jacobian
    with pytest.raises(TypeError, match="inputs given to jacobian must be either a Tensor"):
        jacobian(lambda t: t, 2)
    with pytest.raises(TypeError, match=r"outputs of the .* must be either a Tensor"):
        jacobian(lambda t: 2, ow.ones(()))


def test_jacobian(ow):
    x, y = ow.tensor([1.0, 2.0]), ow.tensor([3.0, 4.0])
    jacobian = ow.autograd.functional.jacobian
    assert jacobian(lambda t: t * t, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert jacobian(lambda t: t.sum(), x).tolist() == [1.0, 1.0]
    left, right = jacobian(lambda s, t: s * t, (x, y))
    assert left.tolist() == [[3.0, 0.0], [0.0, 4.0]]
    assert right.tolist() == [[1.0, 0.0], [0.0, 2.0]]
    first, second = jacobian(lambda t: (t, 2 * t), x)
    assert second.equal(2 * first)


def test_hessian(ow):
    x = ow.tensor([1.0, 2.0])
    hessian = ow.autograd.functional.hessian
    assert hessian(lambda t: (t**3).sum(), x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert hessian(lambda t: t[0] * t[1], x).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    (aa, ab), (ba, bb) = hessian(lambda s, t: (s * t).sum(), (x, x.clone()))
    assert ab.tolist() == ba.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert aa.tolist() == bb.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_products(ow):
    functional = ow.autograd.functional
    x, v = ow.tensor([1.0, 2.0]), ow.tensor([1.0, 10.0])
    value, product = functional.vjp(lambda t: t * t, x, v)
    assert (value.tolist(), product.tolist()) == ([1.0, 4.0], [2.0, 40.0])
    value, product = functional.jvp(lambda t: t * t, x, v)
    assert (value.tolist(), product.tolist()) == ([1.0, 4.0], [2.0, 40.0])
    value, product = functional.hvp(lambda t: (t**3).sum(), x, v)
    assert (value.item(), product.tolist()) == (9.0, [6.0, 120.0])
    value, product = functional.vhp(lambda t: (t**3).sum(), x, v)
    assert product.tolist() == [6.0, 120.0]


def test_functional_with_create_graph(ow):
    x = ow.tensor([1.0, 2.0], requires_grad=True)
    j = ow.autograd.functional.jacobian(lambda t: t**3, x, create_graph=True)
    j.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]
    assert not ow.autograd.functional.jacobian(lambda t: t**3, x).requires_grad


def test_outputs_without_a_gradient_are_left_out(ow):
    x = ow.tensor([[0.3, 0.7], [0.2, -0.4]], dtype=ow.float64, requires_grad=True)
    check = ow.autograd.gradcheck
    assert check(lambda x: (x * 2, x.detach().sin()), x)
    assert check(lambda x: (x.detach().sin(), x * 2), x)
    assert check(lambda x: ow.native_layer_norm(x, [2], None, None, 1e-5), x)
    assert ow.autograd.gradgradcheck(lambda x: (x * x, x.detach().sin()), x)
    with pytest.raises(
        RuntimeError, match=r"^Jacobian mismatch for output 1 with respect to input 0"
    ):
        check(lambda x: (x.detach().sin(), x * x.detach()), x)


def test_a_function_without_any_gradient_must_not_change(ow):
    x = ow.tensor([0.3, 0.7], dtype=ow.float64, requires_grad=True)
    assert ow.autograd.gradcheck(lambda x: ow.ones(3, dtype=ow.float64), x)
    with pytest.raises(
        RuntimeError, match=r"^Numerical gradient for function expected to be zero$"
    ):
        ow.autograd.gradcheck(lambda x: x.detach().sin(), x)
    assert not ow.autograd.gradcheck(lambda x: x.detach().sin(), x, raise_exception=False)


def test_forward_mode_records_nothing(ow):
    functional, x = ow.autograd.functional, ow.arange(3.0)
    options = {"strategy": "forward-mode", "vectorize": True}
    hidden = ow.no_grad()(lambda t: (t * t, ow.stack([t, 2 * t])))
    squares, doubled = functional.jacobian(hidden, x, **options)
    ow.testing.assert_close(squares, ow.diag(2 * x))
    ow.testing.assert_close(doubled, ow.stack([ow.eye(3), 2 * ow.eye(3)]))
    first, second = functional.jacobian(lambda a, b: a.sum() * b, (x, ow.ones(2)), **options)
    assert first.tolist() == [[1] * 3] * 2
    assert second.tolist() == [[3, 0], [0, 3]]
    assert functional.jacobian(lambda t: t.sum(), ow.ones(0), **options).shape == (0,)


def test_strategies_of_jacobians(ow):
    functional, x = ow.autograd.functional, ow.arange(3.0)
    expected = ow.diag(2 * x)
    for function, name in (
        (lambda **o: functional.jacobian(lambda t: t * t, x, **o), "strategy"),
        (
            lambda **o: functional.hessian(lambda t: (t**3).sum() / 3, x, **o),
            "outer_jacobian_strategy",
        ),
    ):
        ow.testing.assert_close(function(vectorize=True, **{name: "forward-mode"}), expected)
        with pytest.raises(AssertionError, match=f"Expected {name} to be either .* but got 'x'"):
            function(**{name: "x"})
        with pytest.raises(NotImplementedError, match="only implemented for vectorize=True"):
            function(**{name: "forward-mode"})
        with pytest.raises(RuntimeError, match="cannot be combined with strict=True"):
            function(strict=True, vectorize=True, **{name: "forward-mode"})
