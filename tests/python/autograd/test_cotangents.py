"""The gradients that users hand in have the dtype, device and sizes of what they belong to, as in PyTorch."""

import pytest

DTYPES = ("float64", "float16", "bfloat16", "int64", "bool")


def _ones(ow, dtype, sizes):
    return ow.ones(sizes, dtype=getattr(ow, dtype))


OUTPUTS = {
    "leaf": lambda ow, x: x,
    "mul": lambda ow, x: x * 2,
    "mm": lambda ow, x: x @ x,
    "bmm": lambda ow, x: x.reshape(1, 2, 2).bmm(x.reshape(1, 2, 2)),
    "linear": lambda ow, x: ow.nn.functional.linear(x, x),
    "conv2d": lambda ow, x: ow.nn.functional.conv2d(x.reshape(1, 1, 2, 2), x.reshape(1, 1, 2, 2)),
    "nll_loss": lambda ow, x: ow.nn.functional.nll_loss(x, ow.tensor([0, 1])),
    "view": lambda ow, x: (x * 2).view(4)[1:],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_cotangent_is_cast_to_the_dtype_of_its_output(ow, output, dtype):
    def gradient(dtype):
        x = ow.tensor([[0.5, 2.0], [3.0, -1.0]], requires_grad=True)
        y = OUTPUTS[output](ow, x)
        (by_grad,) = ow.autograd.grad(y, x, _ones(ow, dtype, y.shape), retain_graph=True)
        y.backward(_ones(ow, dtype, y.shape))
        assert by_grad.dtype == x.grad.dtype == ow.float32
        assert by_grad.tolist() == x.grad.tolist()
        return x.grad.tolist()

    assert gradient(dtype) == gradient("float32")


class _Twice:
    """Function whose backward tells the dtype that it gets, and gives one of its own."""

    @staticmethod
    def make(ow, seen, given):
        class Twice(ow.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                seen.append(grad.dtype)
                return (grad * 2).to(getattr(ow, given))

        return Twice


@pytest.mark.parametrize("dtype", DTYPES)
def test_whoever_sees_a_gradient_sees_it_cast(ow, dtype):
    seen = []
    x = ow.ones(2, requires_grad=True)
    inner = x * 1
    y = _Twice.make(ow, seen, dtype).apply(inner)
    for tensor in (x, inner, y):
        tensor.register_hook(lambda grad: seen.append(grad.dtype))
        tensor.retain_grad()
    y.grad_fn.register_prehook(lambda grads: seen.append(grads[0].dtype))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.dtype))
    y.backward(_ones(ow, dtype, (2,)))
    assert seen == [ow.float32] * 6
    assert x.grad.dtype == inner.grad.dtype == y.grad.dtype == ow.float32


def test_a_cast_is_differentiable(ow):
    x = ow.ones(2, requires_grad=True)
    v = ow.full((2,), 3.0, dtype=ow.float64, requires_grad=True)
    (gradient,) = ow.autograd.grad(x * 2, x, v, create_graph=True)
    gradient.sum().backward()
    assert gradient.dtype == ow.float32
    assert v.grad.dtype == ow.float64
    assert v.grad.tolist() == [2.0, 2.0]


def test_each_example_of_a_batch_is_cast(ow):
    def gradient(v):
        x = ow.ones(2, requires_grad=True)
        return ow.autograd.grad(x * 2, x, v)[0]

    v = ow.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=ow.float64)
    result = ow.func.vmap(gradient)(v)
    assert result.dtype == ow.float32
    assert result.tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_a_cotangent_on_another_device(ow):
    x = ow.ones(2, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"^invalid gradient at index 0 - expected device cpu but got meta$"
    ):
        (x * 2).backward(ow.ones(2, device="meta"))


# --- hooks may change numbers only -----------------------------------------------------------------


def _hook_on_tensor(tensor, hook):
    tensor.register_hook(hook)


def _hook_before_node(tensor, hook):
    tensor.grad_fn.register_prehook(lambda grads: (hook(grads[0]),))


def _hook_after_node(tensor, hook):
    tensor.grad_fn.register_hook(lambda inputs, outputs: (hook(inputs[0]), *inputs[1:]))


HOOKS = (_hook_on_tensor, _hook_before_node, _hook_after_node)
CHANGES = {
    "float64": (
        lambda ow, g: g.double(),
        r"type of value \(was float32 on cpu, got float64 on cpu",
    ),
    "int64": (lambda ow, g: g.long(), r"type of value \(was float32 on cpu, got int64 on cpu"),
    "meta": (
        lambda ow, g: g.to("meta"),
        r"type of value \(was float32 on cpu, got float32 on meta",
    ),
    "smaller": (lambda ow, g: g[0], r"size of value \(was \[2, 2\], got \[2\]"),
    "larger": (lambda ow, g: g.expand(3, 2, 2), r"size of value \(was \[2, 2\], got \[3, 2, 2\]"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("register", HOOKS)
def test_a_hook_keeps_what_kind_of_tensor_a_gradient_is(ow, register, change):
    x = ow.ones(2, 2, requires_grad=True)
    y = x * 2
    changed, text = CHANGES[change]
    register(y, lambda g: changed(ow, g))
    with pytest.raises(RuntimeError, match=rf"^hook '<lambda>' has changed the {text}\)$"):
        y.sum().backward()
    assert x.grad is None


def test_a_hook_of_a_leaf_keeps_it_too(ow):
    class Doubles:
        def __call__(self, gradient):
            return gradient.double()

    x = ow.ones(2, requires_grad=True)
    x.register_hook(Doubles())
    with pytest.raises(RuntimeError, match=r"^hook '<unknown>' has changed the type of value"):
        x.sum().backward()


def test_no_gradient_stays_none(ow):
    x = ow.ones(2, requires_grad=True)
    y = x * ow.ones(2)
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], ow.ones(2)))
    with pytest.raises(RuntimeError, match=r"'<lambda>' can't replace a None gradient with a non-"):
        y.sum().backward()


def test_the_number_of_gradients_stays(ow):
    x = ow.ones(2, requires_grad=True)
    y = x * x
    y.grad_fn.register_hook(lambda inputs, outputs: inputs[:1])
    text = r"^hook '<lambda>' has returned an incorrect number of values \(got 1, but expected 2\)$"
    with pytest.raises(RuntimeError, match=text):
        y.sum().backward()
