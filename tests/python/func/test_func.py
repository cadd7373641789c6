"""opweave.func: transforms of functions, alone and composed, against formulas and loops."""

import numpy as np
import opweave as ow
import pytest
from opweave.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
)


def close(got, want, tolerance=1e-12):
    assert tuple(got.shape) == tuple(want.shape)
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=tolerance, atol=tolerance)


@pytest.fixture
def x():
    ow.manual_seed(1)
    return ow.randn(4, 3, dtype=ow.float64)


def test_grad_of_a_power(x):
    close(grad(lambda a: (a**3).sum())(x), 3 * x**2)


def test_grad_of_grad(x):
    first = grad(lambda a: (a**4).sum())
    close(grad(lambda a: first(a).sum())(x), 12 * x**2)


def test_third_derivative_at_a_number():
    f = ow.sin
    for _ in range(3):
        f = grad(f)
    close(f(ow.tensor(0.3, dtype=ow.float64)), -ow.cos(ow.tensor(0.3, dtype=ow.float64)))


def test_grad_of_several_arguments_with_aux(x):
    def f(a, scale):
        product = a * scale["s"]
        return product.sum(), {"product": product}

    (by_a, by_scale), aux = grad(f, argnums=(0, 1), has_aux=True)(x, {"s": x + 1})
    close(by_a, x + 1)
    close(by_scale["s"], x)
    close(aux["product"], x * (x + 1))
    assert not aux["product"].requires_grad
    assert not by_a.requires_grad


def test_grad_and_value(x):
    gradient, value = grad_and_value(lambda a: (a * a).sum())(x)
    close(gradient, 2 * x)
    close(value, (x * x).sum())


def test_results_stay_differentiable_by_arguments_that_require_grad(x):
    x.requires_grad_()
    grad(lambda a: (a**3).sum())(x).sum().backward()
    close(x.grad, (6 * x).detach())


def test_inside_no_grad(x):
    with ow.no_grad():
        close(grad(lambda a: (a**2).sum())(x), 2 * x)


def test_under_no_grad_a_derivative_is_a_constant():
    """As where it is written out: h is x**3 less a number, 3 x**2 at the start."""

    def h(a):
        with ow.no_grad():
            slope = grad(lambda b: b**3)(a)
        return a**3 - slope

    def of_vjp(a):
        with ow.no_grad():
            value, pull = vjp(lambda b: b**3, a)
            (slope,) = pull(ow.ones_like(a))
        return a**3 - slope - value

    start = ow.tensor(1.5)
    close(grad(h)(start), ow.tensor(6.75))
    close(grad(of_vjp)(start), ow.tensor(6.75))
    with ow.no_grad():
        assert not grad(lambda b: b**3)(start.clone().requires_grad_()).requires_grad
        close(hessian(lambda b: b**3)(start), ow.tensor(9.0))
        close(vmap(grad(lambda b: b**3))(ow.ones(2)), ow.full((2,), 3.0))


RANKS = {
    "dot": lambda: vmap(ow.dot, (0, None))(ow.ones(3, 4), ow.ones(3, 4)),
    "mm, vectors": lambda: vmap(ow.mm, (0, None))(ow.ones(3, 4), ow.ones(4, 4)),
    "mm, first": lambda: vmap(ow.mm, (0, None))(ow.ones(3, 2, 4), ow.ones(3, 4, 4)),
    "mm, second": lambda: vmap(ow.mm, (None, 0))(ow.ones(3, 2, 4), ow.ones(3, 4, 4)),
    "mv, vectors": lambda: vmap(ow.mv, (0, None))(ow.ones(3, 4), ow.ones(4)),
    "mv, first": lambda: vmap(ow.mv, (0, None))(ow.ones(3, 2, 4), ow.ones(3, 4)),
    "mv, second": lambda: vmap(ow.mv, (None, 0))(ow.ones(3, 2, 4), ow.ones(3, 4)),
    "bmm": lambda: vmap(ow.bmm)(ow.ones(3, 2, 4), ow.ones(3, 4, 4)),
    "addmm": lambda: vmap(ow.addmm)(ow.ones(3, 2), ow.ones(3, 2, 4), ow.ones(3, 4)),
}


@pytest.mark.parametrize("name", RANKS)
def test_examples_of_a_wrong_rank(name):
    """Batches of them would have a right one."""
    with pytest.raises(RuntimeError, match=r"1D tensors expected|must be a|vector|3D tensor"):
        RANKS[name]()


def test_vjp_gives_a_tuple(x):
    assert isinstance(vjp(ow.exp, x)[1](x), tuple)
    ((tree,),) = [vjp(lambda t: t["a"].exp(), {"a": x})[1](x)]
    assert set(tree) == {"a"}


def test_vjp_is_called_twice(x):
    value, pull = vjp(ow.exp, x)
    close(value, x.exp())
    for scale in (1.0, 2.0):
        (got,) = pull(ow.full_like(x, scale))
        close(got, scale * x.exp())


def test_jvp_against_vjp(x):
    def f(a):
        return (a @ a.t()).tanh() * a.sum(1)

    v = ow.randn(4, 3, dtype=ow.float64)
    u = ow.randn(4, 4, dtype=ow.float64)
    _, tangent = jvp(f, (x,), (v,))
    _, pull = vjp(f, x)
    close((tangent * u).sum(), (pull(u)[0] * v).sum(), 1e-10)


def test_jacobians_agree(x):
    def f(a):
        return {"p": a.prod(1), "q": (a[0] * a[1], a.sum())}

    backward, forward = jacrev(f)(x), jacfwd(f)(x)
    assert backward["p"].shape == (4, 4, 3)
    assert backward["q"][1].shape == (4, 3)
    for b, g in ((backward["p"], forward["p"]), (backward["q"][0], forward["q"][0])):
        close(b, g, 1e-10)
    close(backward["q"][1], ow.ones_like(x))


def test_jacobian_by_several_arguments(x):
    by_a, by_b = jacrev(lambda a, b: a * b, argnums=(0, 1))(x[0], x[1])
    close(by_a, x[1].diag())
    close(by_b, x[0].diag())
    close(jacrev(lambda a, b: a * b, chunk_size=2)(x[0], x[1]), x[1].diag())


def test_hessian_of_a_quadratic_form(x):
    a = ow.randn(3, 3, dtype=ow.float64)
    close(hessian(lambda v: v @ a @ v)(x[0]), a + a.t())


def test_vmap_of_hessian_is_a_loop(x):
    def f(v):
        return (v.sin() * v.sum()).sum()

    close(vmap(hessian(f))(x), ow.stack([hessian(f)(row) for row in x]), 1e-10)


def test_per_sample_gradients(x):
    model = ow.nn.Sequential(ow.nn.Linear(3, 5), ow.nn.Tanh(), ow.nn.Linear(5, 2)).double()
    target = ow.tensor([0, 1, 1, 0])
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params, row, label):
        logits = functional_call(model, params, (row.unsqueeze(0),))
        return ow.nn.functional.cross_entropy(logits, label.unsqueeze(0))

    got = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, target)
    for i in range(4):
        want = grad(loss)(params, x[i], target[i])
        for name in params:
            close(got[name][i], want[name])


def test_nested_vmap_with_dims(x):
    y = ow.randn(5, 3, dtype=ow.float64)
    outer = vmap(vmap(lambda a, b: a * b.sum(), in_dims=(None, 0)), in_dims=(0, None), out_dims=1)
    close(outer(x, y), (x[None] * y.sum(1)[:, None, None]))


def test_vmap_dims_trees_and_chunks(x):
    def f(pair, scale=1):
        return {"sum": pair["a"] + pair["b"], "same": ow.ones(2)}

    tree = {"a": x, "b": x.t()}
    got = vmap(f, in_dims=({"a": 0, "b": 1},), out_dims={"sum": 1, "same": None}, chunk_size=3)(
        tree
    )
    close(got["sum"], (2 * x).t())
    assert got["same"].shape == (2,)


def test_promotion_of_examples_without_dimensions():
    # An int64 number per example does not make a float16 tensor wider, nor a float64 number.
    a = ow.ones(3, 2, dtype=ow.float16)
    for other in (ow.arange(3), ow.arange(3, dtype=ow.float64)):
        got = vmap(lambda p, q: p * q)(a, other)
        want = ow.stack([a[i] * other[i] for i in range(3)])
        assert got.dtype == want.dtype == ow.float16
        close(got.double(), want.double())


def test_random_numbers_differ_only_when_allowed(x):
    with pytest.raises(RuntimeError, match="'same' or 'different' randomness flags"):
        vmap(lambda a: ow.rand_like(a))(x)
    got = vmap(lambda a: ow.rand_like(a), randomness="different")(x)
    assert len(set(got.flatten().tolist())) == x.numel()


def test_in_place_on_examples(x):
    def f(a):
        b = a.clone()
        b[0] += 1
        b.mul_(2)
        return b

    want = x.clone()
    want[:, 0] += 1
    close(vmap(f)(x), want * 2)


REFUSED = {
    "item": (lambda a: a.sum().item(), "cannot read them as Python numbers"),
    "bool": (lambda a: a if a.sum() > 0 else -a, "cannot read them as Python numbers"),
    "numpy": (lambda a: a.numpy(), "cannot read them as Python numbers"),
    "tolist": (lambda a: a.tolist(), "cannot read them as Python numbers"),
    "nonzero": (lambda a: (a > 0).nonzero(), "results of nonzero differ in shape"),
    "write": (lambda a: ow.zeros(3, dtype=a.dtype).add_(a), "the same for all 4 examples"),
    "reshape in place": (lambda a: a.clone().unsqueeze_(0), "cannot be changed in place"),
    "strides": (lambda a: a.as_strided((4,), (1,)), "beyond the memory of an example of shape"),
    "too many": (
        lambda a: vmap(lambda e: e.nonzero())(a[:0].expand(2**40, 0)),
        "1099511627776 examples are more than the 16777216",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_vmap_refuses(x, name):
    function, words = REFUSED[name]
    with pytest.raises(RuntimeError, match=words):
        vmap(function)(x)
    assert ow._C._vmap_depth() == 0


WRONG = {
    "no inputs": (lambda x: vmap(ow.sin)(), ValueError, "got no inputs"),
    "not a tensor": (lambda x: vmap(ow.mul)(x, 2), ValueError, "cannot vmap over non-Tensor"),
    "bad dim": (lambda x: vmap(ow.sin, in_dims=2)(x), ValueError, "-2 <= in_dim < 2"),
    "bad structure": (lambda x: vmap(ow.mul, in_dims=(0,))(x, x), ValueError, "not compatible"),
    "all None": (lambda x: vmap(ow.sin, in_dims=None)(x), ValueError, "expected `in_dims`"),
    "sizes": (lambda x: vmap(ow.mul, (0, 1))(x, x), ValueError, r"got sizes \[3, 4\]"),
    "returns": (lambda x: vmap(lambda a: 3)(x), ValueError, "must only return Tensors"),
    "out_dims": (lambda x: vmap(ow.sin, out_dims=(0, 0))(x), ValueError, "out_dims is not"),
    "randomness": (
        lambda x: vmap(ow.sin, randomness="x"),
        RuntimeError,
        "'error', 'different', or 'same'",
    ),
    "not scalar": (lambda x: grad(ow.sin)(x), RuntimeError, "got tensor with 2 dims"),
    "argnums": (lambda x: grad(ow.sum, argnums=1)(x), RuntimeError, "only 1 positional inputs"),
    "integers": (lambda x: grad(ow.sum)(x.long()), RuntimeError, "floating-point dtype"),
    "tangent": (lambda x: jvp(ow.sin, (x,), (x[0],)), RuntimeError, r"got \(4, 3\) and \(3,\)"),
    "cotangent": (lambda x: vjp(ow.sin, x)[1]((x, x)), RuntimeError, "pytree structure"),
    "parameter": (
        lambda x: functional_call(ow.nn.Linear(1, 1), {"v.weight": x}, x),
        AttributeError,
        "^Linear has no attribute `v`$",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use(x, name):
    function, error, words = WRONG[name]
    with pytest.raises(error, match=words):
        function(x)


def test_printing_a_batched_tensor(x):
    texts = []
    vmap(lambda a: texts.append(repr(a)) or a)(ow.ones(2, 3))
    assert texts == [
        "BatchedTensor(level=1, value=\n    tensor([[1., 1., 1.],\n            [1., 1., 1.]])\n)"
    ]


def test_captured_tensors_that_require_grad_keep_the_graph(x):
    w = ow.ones(3, dtype=ow.float64, requires_grad=True)
    gradient = grad(lambda a: (a * w).sin().sum())(x)
    (got,) = ow.autograd.grad(gradient.sum(), w)
    other = w.detach().requires_grad_()
    (want,) = ow.autograd.grad(((x * other).cos() * other).sum(), other)
    close(got, want)
    value, pull = vjp(lambda a: a * w, x)
    assert value.requires_grad
    assert pull(x)[0].requires_grad
    assert vmap(grad(lambda row: (row * w).sum()))(x).requires_grad


def test_nothing_else_keeps_a_graph(x):
    gradient, value = grad_and_value(lambda a: (a**3).sum())(x)
    assert not gradient.requires_grad
    assert not value.requires_grad
    product = jvp(grad(lambda a: (a**3).sum()), (x,), (x,))[1]
    assert not product.requires_grad
    assert not hessian(lambda a: (a**3).sum())(x[0]).requires_grad
    assert not vmap(lambda row: jvp(grad(lambda a: (a**3).sum()), (row,), (row,))[1])(
        x
    ).requires_grad


@pytest.mark.parametrize("function", [lambda t: t, lambda t: (3 * t).relu()])
def test_jacfwd_updates_running_statistics_once(function):
    def normalized(x, mean, var):
        return ow.nn.functional.batch_norm(function(x), mean, var, training=True)

    expected, found = ([ow.zeros(2), ow.ones(2)] for _ in range(2))
    x = ow.randn(4, 2)
    normalized(x, *expected)
    jacobian = ow.func.jacfwd(lambda t: normalized(t, *found))(x)
    close(jacobian, jacrev(lambda t: normalized(t, None, None))(x), 1e-5)
    for a, b in zip(found, expected):
        close(a, b, 1e-6)


def test_running_statistics_of_an_input_without_numbers():
    x, mean = ow.tensor([[float("nan"), 1.0], [2.0, 3.0]]), ow.zeros(2)
    ow.func.jacfwd(lambda t: ow.nn.functional.batch_norm(t, mean, ow.ones(2), training=True))(x)
    assert str(mean.tolist()) == "[nan, 0.20000000298023224]"


def test_jvps_of_examples_that_differ_cannot_share_running_statistics():
    def pushed(x, mean):
        normalized = lambda t: ow.nn.functional.batch_norm(t, mean, ow.ones(2), training=True)  # noqa: E731
        return jvp(normalized, (x,), (x,))[1]

    mean = ow.zeros(2)
    with pytest.raises(RuntimeError, match="cannot update 'running_mean', a tensor that is the"):
        vmap(lambda x: pushed(x, mean))(ow.randn(3, 4, 2))
    assert mean.tolist() == [0, 0]


@pytest.mark.parametrize("batched", [(0, None, None), (0, 0, None), (None, 0, None)])
def test_examples_that_differ_cannot_share_running_statistics(batched):
    def normalized(x, mean, var):
        return ow.nn.functional.batch_norm(x, mean, var, training=True)

    x, mean, var = ow.randn(3, 4, 2), ow.zeros(3, 2), ow.ones(3, 2)
    given = [t if dim == 0 else t[0].clone() for t, dim in zip((x, mean, var), batched)]
    before = [t.clone() for t in given]
    with pytest.raises(
        RuntimeError, match=r"cannot update 'running_.*that is the same for all 3 examples"
    ):
        vmap(normalized, in_dims=batched)(*given)
    assert all(ow.equal(a, b) for a, b in zip(given, before))
    vmap(normalized)(x, mean, var)
    alone = [ow.zeros(2), ow.ones(2)]
    normalized(x[1], *alone)
    close(mean[1], alone[0], 1e-6)
    close(var[1], alone[1], 1e-6)
    given = [t if dim == 0 else t[0].clone() for t, dim in zip((x, mean, var), (0, None, None))]
    found = vmap(lambda t: ow.nn.functional.batch_norm(t, *given[1:], training=False))(x)
    close(found[1], ow.nn.functional.batch_norm(x[1], *given[1:], training=False))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 2, 1), ()])
def test_examples_lose_their_dimensions_of_one(shape):
    """Not that of the examples, of which there may be one."""
    for count in (1, 3):
        many = ow.ones(count, *shape)
        want = (count, *(size for size in shape if size != 1))
        assert vmap(lambda x: x.squeeze())(many).shape == want
        assert vmap(lambda x: x.squeeze(tuple(range(x.dim()))))(many).shape == want
