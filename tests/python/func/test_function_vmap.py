"""Functions that say how they run on a batch, and what is told where they say it wrong; what functions under
vmap ask of tensors about gradients."""

import opweave as ow
import pytest
from opweave.autograd import Function
from opweave.autograd.function import once_differentiable
from opweave.func import functionalize, grad, hessian, jacrev, jvp, vjp, vmap

X = ow.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def looped(f):
    return lambda *batches: ow.stack([f(*(b[i] for b in batches)) for i in range(len(batches[0]))])


def equal(a, b):
    assert a.shape == b.shape
    assert ow.allclose(a, b), (a, b)


class Square(Function):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


def ruled(rule, **more):
    return type("Ruled", (Square,), {"vmap": staticmethod(rule), **more})


def test_what_a_rule_is_told():
    told = []

    def rule(info, in_dims, x):
        told.append((repr(info), in_dims, tuple(x.shape), ow._C._vmap_depth()))
        return Square.apply(x), in_dims[0]

    function = ruled(rule)
    equal(vmap(function.apply)(X), X**2)
    vmap(vmap(function.apply), in_dims=1, randomness="same")(X)
    assert told == [
        ("VmapInfo(batch_size=2, randomness='error')", (0,), (2, 3), 0),
        ("VmapInfo(batch_size=2, randomness='error')", (0,), (2,), 1),
    ]
    function.apply(X)  # no vmap, no rule
    vmap(lambda x: x * function.apply(X[0]))(X)
    assert len(told) == 2


def test_a_rule_of_several_arguments_and_results():
    class Products(Function):
        @staticmethod
        def forward(ctx, x, factors, n):
            ctx.save_for_backward(*factors)
            return x * factors[0] * n, x.sum()

        @staticmethod
        def backward(ctx, first, second):
            raise AssertionError("the rule computes by operators")

        @staticmethod
        def vmap(info, in_dims, x, factors, n):
            assert in_dims == (0, [None, 0], None)
            return (x * factors[0] * n + 0 * factors[1], ow.tensor(7.0)), (0, None)

    first, second = vmap(lambda x: Products.apply(x, [X[1], x], 3))(X)
    equal(first, X * X[1] * 3)
    assert second.tolist() == [7, 7]
    equal(
        vmap(grad(lambda x: Products.apply(x, [X[1], x], 3)[0].sum()))(X), (3 * X[1]).expand(2, 3)
    )


WRONG = {
    "no dims": (
        lambda info, dims, x: x,
        r"of Ruled to have two returns, .* Got a <class 'opweave.Tens",
    ),
    "structure": (
        lambda info, dims, x: ((x, x), (0,)),
        r"of Ruled returned an incompatible \(output, out_dims\) tuple. Expected out_dims=\(0,\) to have the "
        "structure of the output: 2 values",
    ),
    "dimension": (
        lambda info, dims, x: (x, 2),
        r"out_dim=2 for an output of shape \(2, 3\), expected a",
    ),
    "size": (
        lambda info, dims, x: (x, 1),
        r"out_dim=1 for an output of shape \(2, 3\), expected a dim",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_rules_that_are_wrong(name):
    rule, words = WRONG[name]
    with pytest.raises(RuntimeError, match=words):
        vmap(ruled(rule).apply)(X)
    assert ow._C._vmap_depth() == 0


def test_a_rule_and_the_wish_for_a_generated_one():
    function = ruled(lambda info, dims, x: (x, 0), generate_vmap_rule=True)
    with pytest.raises(
        RuntimeError, match="over Ruled, but it has both generate_vmap_rule=True and a vm"
    ):
        vmap(function.apply)(X)
    equal(grad(lambda x: function.apply(x).sum())(X), 2 * X)


def test_a_backward_pass_after_vmap():
    for kind in (Square, ruled(lambda info, dims, x: (Square.apply(x), 0))):
        x = X.clone().requires_grad_()
        vmap(kind.apply)(x).sum().backward()
        equal(x.grad, 2 * X)


def test_results_that_nobody_could_differentiate_are_refused():
    class Captures(Function):
        @staticmethod
        def forward(ctx, w, other):
            return w * other[0]

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    w = ow.ones(3, requires_grad=True)
    words = (
        r"^vmap: a result of CapturesBackward of shape \[3\] differs between examples though no argument "
        r"does, so that its gradient is nobody's\. Pass the tensor that differs to apply\(\) as an arg"
    )
    with pytest.raises(RuntimeError, match=words):
        vmap(lambda x: Captures.apply(w, (x,)))(X)
    equal(vmap(lambda x: Captures.apply(w.detach(), (x,)))(X), X)


def test_what_is_written_in_place_has_to_be_an_examples_own():
    class Writes(Function):
        @staticmethod
        def forward(ctx, w, x):
            ctx.mark_dirty(w)
            return w.mul_(2), x * 1

        @staticmethod
        def backward(ctx, first, second):
            return first * 2, second

    with pytest.raises(
        RuntimeError, match=r"mark_dirty\(\) of WritesBackward got a tensor of shape \[3\]"
    ):
        vmap(grad(lambda x: Writes.apply(ow.ones(3), x)[1].sum()))(X)
    equal(vmap(grad(lambda x: Writes.apply(x * 1, x)[0].sum()))(X), ow.full((2, 3), 2.0))


def test_gradients_of_a_wrong_size():
    class Longer(Square):
        @staticmethod
        def backward(ctx, grad):
            return ow.ones(4)

    words = r"Function LongerBackward returned an invalid gradient at index 0 - got \[4\] but expected sha"
    with pytest.raises(RuntimeError, match=words):
        vmap(grad(lambda x: Longer.apply(x).sum()))(X)


# --- twice, where once is meant -------------------------------------------------------------------------
class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


def once(x):
    return Once.apply(x).sum()


TWICE = {
    "grad of grad": lambda: grad(lambda x: grad(once)(x).sum())(X),
    "beside operators": lambda: grad(lambda x: grad(lambda y: once(y) * y.sum())(x).sum())(X),
    "vmap of grad of grad": lambda: vmap(grad(lambda x: grad(once)(x).sum()))(X),
    "jacrev of vmap of grad": lambda: jacrev(vmap(grad(once)))(X),
    "jacrev of jacrev": lambda: jacrev(jacrev(once))(X[0]),
    "vjp of vjp": lambda: vjp(lambda x: vjp(once, x)[1](ow.tensor(1.0))[0], X)[1](X),
}


@pytest.mark.parametrize("name", TWICE)
def test_the_second_derivative_of_what_is_differentiable_once_is_an_error(name):
    """In PyTorch it is zero, or lacks a part, where the first gradient is a constant."""
    with pytest.raises(
        RuntimeError, match="twice a function that was marked with @once_differentiable"
    ):
        TWICE[name]()


def test_once_is_enough():
    equal(vmap(grad(once))(X), 3 * X**2)
    equal(jacrev(vmap(Once.apply))(X).sum((2, 3)), 3 * X**2)
    with pytest.raises(NotImplementedError, match="forward mode AD"):
        hessian(once)(X[0])

    class Linear(Once):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad * 3

    # What keeps nothing has no second derivative to lose.
    twice = grad(lambda x: grad(lambda y: Linear.apply(y).sum() + (y * y).sum())(x).sum())
    equal(twice(X), ow.full((2, 3), 2.0))


# --- gradients within a function under vmap -------------------------------------------------------------
def _leaf(x):
    return x.detach().clone().requires_grad_()


def _accumulated(x):
    leaf = _leaf(x)
    for power in (2, 3):
        (leaf**power).sum().backward()
    return leaf.grad


def _retained(x):
    y = _leaf(x) ** 2
    y.retain_grad()
    assert y.retains_grad
    assert not y.is_leaf
    assert y.grad_fn.name() == "PowBackward0"
    (y * y).sum().backward()
    return y.grad


def _descended(x):
    leaf = _leaf(x)
    optimizer = ow.optim.SGD([leaf], lr=0.1, momentum=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        (leaf.sin() * leaf).sum().backward()
        optimizer.step()
    return leaf.detach()


def _assigned(x):
    leaf = _leaf(x)
    leaf.grad = x * 2
    with pytest.raises(RuntimeError, match="different size"):
        leaf.grad = x[:2]
    (leaf * leaf).sum().backward()
    found, leaf.grad = leaf.grad, None
    assert leaf.grad is None
    return found


def _by_edge(x):
    y = _leaf(x) ** 2
    return ow.autograd.grad((y * y).sum(), [ow.autograd.graph.get_gradient_edge(y)])[0]


WITHIN = [_accumulated, _retained, _descended, _assigned, _by_edge]


@pytest.mark.parametrize("f", WITHIN, ids=lambda f: f.__name__)
def test_gradients_of_an_example(f):
    equal(vmap(f)(X), looped(f)(X))
    batch = ow.stack([X, X.sin()])
    equal(vmap(vmap(f))(batch), looped(looped(f))(batch))


def test_backward_adds_to_what_is_the_same_for_all():
    w = ow.ones(3, requires_grad=True)
    vmap(lambda x: ((x * x * w).sum().backward(), x)[1])(X)
    equal(w.grad, (X * X).sum(0))


def test_gradients_of_examples_are_not_added_in_silence():
    w = ow.ones(3, requires_grad=True)
    words = (
        r"^vmap: input 0 of shape \[3\] is the same for all examples, and what is differentiated differs "
        r"between them: their gradients would be added\. Differentiate with func\.grad\(\) or func\.vjp\(\), "
        r"which keep them apart\.$"
    )
    with pytest.raises(RuntimeError, match=words):
        vmap(lambda x: ow.autograd.grad((x * w).sum(), w)[0])(X)
    equal(vmap(lambda x: grad(lambda v: (x * v).sum())(w))(X), X)


FUNCTIONAL = {
    "jacobian": lambda f, x: ow.autograd.functional.jacobian(f, x),
    "jacobian, by two": lambda f, x: ow.autograd.functional.jacobian(
        lambda a, b: f(a) * b, (x, X[0])
    )[1],
    "vjp": lambda f, x: ow.autograd.functional.vjp(f, x, x)[1],
    "jvp": lambda f, x: ow.autograd.functional.jvp(f, x, x)[1],
    "hessian": lambda f, x: ow.autograd.functional.hessian(lambda y: f(y).sum(), x),
    "vhp": lambda f, x: ow.autograd.functional.vhp(lambda y: f(y).sum(), x, x)[1],
    "hvp": lambda f, x: ow.autograd.functional.hvp(lambda y: f(y).sum(), x, x)[1],
}


@pytest.mark.parametrize("name", FUNCTIONAL)
def test_autograd_functional_under_vmap(name):
    """PyTorch refuses these."""

    def derivative(x):
        return FUNCTIONAL[name](lambda y: y.sin() * y.sum(), x)

    equal(vmap(derivative)(X), looped(derivative)(X))
    again = grad(lambda x: (vmap(derivative)(x) * x.sum()).sum())
    # Cut off from what they are computed of, they would be taken for constants.
    with pytest.raises(RuntimeError, match="no derivative without create_graph=True"):
        again(X)


def test_hooks_of_nodes_of_operators_are_refused():
    """They see all examples at once, and cannot tell."""
    words = r"^vmap: hooks of the node MulBackward0 see all examples at once"
    with pytest.raises(RuntimeError, match=words):
        vmap(grad(lambda x: ((x * x).grad_fn.register_hook(print), x.sum())[1]))(X)
    with pytest.raises(RuntimeError, match=words):
        vmap(grad(lambda x: ((x * x).grad_fn.register_prehook(print), x.sum())[1]))(X)
    with pytest.raises(
        RuntimeError, match=r"^vmap: post accumulate grad hooks see tensors, not examples"
    ):
        vmap(lambda x: _leaf(x).register_post_accumulate_grad_hook(print))(X)


# --- nothing is kept --------------------------------------------------------------------------------------
def _nested(v):
    inner = grad(lambda u: (u * u * v).sum())(ow.ones(3))
    return (inner**2).sum() + jvp(lambda u: u.sort()[0] * v, (v,), (v,))[1].sum()


STEPS = {
    "grad": grad(_nested),
    "functionalize": grad(functionalize(_nested)),
    "vjp": lambda w: vjp(_nested, w)[1](ow.tensor(1.0))[0],
    "jacrev": jacrev(_nested),
    "vmap": lambda w: vmap(grad(_nested))(w.expand(2, 3)).sum(0),
    "jacrev of a hessian": lambda w: jacrev(lambda v: hessian(lambda u: (u**3 * v).sum())(v).sum())(
        w
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_nested_transforms_that_capture_tensors_keep_no_graph(name):
    w = ow.ones(3)
    for _ in range(3):
        w = w - 0.1 * STEPS[name](w)
        assert not w.requires_grad


def test_what_somebody_asks_for_is_kept():
    captured = ow.ones(3, requires_grad=True)
    found = grad(lambda v: grad(lambda u: (u * u * v * captured).sum())(ow.ones(3)).sum())(
        ow.ones(3)
    )
    equal(ow.autograd.grad(found.sum(), captured)[0], ow.full((3,), 2.0))


def test_keyword_arguments_are_the_same_for_all_examples():
    scaled = vmap(lambda x, *, by, more=None: x * by + (0 if more is None else more["more"].sum()))
    equal(scaled(X, by=X[0]), X * X[0])
    equal(scaled(X, by=2, more={"more": ow.ones(5)}), X * 2 + 5)
    equal(vmap(lambda x, by: x * by, chunk_size=1)(X, by=X[1]), X * X[1])
    with pytest.raises(ValueError, match="got no inputs"):
        vmap(lambda by: by)(by=X)


WITHOUT_A_GRAPH = {
    "jacobian": lambda x, **k: ow.autograd.functional.jacobian(lambda y: y**3, x, **k).sum(),
    "hessian": lambda x, **k: ow.autograd.functional.hessian(lambda y: (y**3).sum(), x, **k).sum(),
    "vjp": lambda x, **k: ow.autograd.functional.vjp(lambda y: (y**3).sum(), x, **k)[1].sum(),
    "jvp": lambda x, **k: ow.autograd.functional.jvp(lambda y: y**3, x, ow.ones(3), **k)[1].sum(),
}


@pytest.mark.parametrize("name", WITHOUT_A_GRAPH)
def test_functional_without_a_graph_is_refused_where_it_is_differentiated(name):
    """Its results are cut off: the gradient would be zero."""
    of, x = WITHOUT_A_GRAPH[name], ow.ones(3)
    for transform in (ow.func.grad, ow.func.jacfwd):
        with pytest.raises(RuntimeError, match="no derivative without create_graph=True"):
            transform(of)(x)
    found = ow.func.grad(lambda x: of(x, create_graph=True))(x)
    assert found.tolist() == [6.0] * 3
