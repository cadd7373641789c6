"""Hooks that are registered in a function that is differentiated: they are part of that transform's
backward passes alone, and not of those that differentiate its results."""

import gc
import weakref

import opweave as ow
import pytest
from opweave.func import grad, hessian, jacrev, vjp, vmap

X = [1.0, 2.0]


def doubled(x):
    """The sum of squares; a hook doubles the gradient: 4 x."""
    y = x * 1
    y.register_hook(lambda g: g * 2)
    return (y**2).sum()


def node_doubled(x):
    y = x * 1
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    return (y**2).sum()


def node_doubled_after(x):
    y = x * 1
    y.grad_fn.register_hook(lambda inputs, _: (inputs[0] * 2, *inputs[1:]))
    return (y**2).sum()


EACH = pytest.mark.parametrize("f", [doubled, node_doubled, node_doubled_after])


@EACH
def test_the_first_derivative(f):
    assert grad(f)(ow.tensor(X)).tolist() == [4, 8]


@EACH
def test_no_part_of_the_second(f):
    x = ow.tensor(X, requires_grad=True)
    value, pull = vjp(f, x)
    (outer,) = ow.autograd.grad(value, x, retain_graph=True)
    assert outer.tolist() == [2, 4]
    assert pull(ow.tensor(1.0))[0].tolist() == [4, 8]  # a pass of its own, later
    assert ow.autograd.grad(grad(f)(x).sum(), x)[0].tolist() == [4, 4]
    assert grad(lambda a: grad(f)(a).sum())(x.detach()).tolist() == [4, 4]


def test_stacks():
    x = ow.tensor(X)
    assert jacrev(jacrev(doubled))(x).tolist() == [[4, 0], [0, 4]]
    assert hessian(doubled)(x).tolist() == [[4, 0], [0, 4]]
    assert vmap(grad(doubled))(ow.stack([x, x])).tolist() == [[4, 8], [4, 8]]


def test_each_hook_is_called_by_its_own_transform():
    calls = []

    def inner(a):
        a.register_hook(lambda g: calls.append("inner"))
        return (a**3).sum()

    def outer(a):
        b = a * 1
        b.register_hook(lambda g: calls.append("outer"))
        return grad(inner)(b).sum()

    assert grad(outer)(ow.tensor(X)).tolist() == [6, 12]
    assert calls == ["inner", "outer"]


def test_of_what_a_function_captures():
    """What is not computed by the function's inputs is the caller's, and so are hooks on it."""
    w = ow.tensor(X, requires_grad=True)
    calls = []

    def f(x):
        w.register_hook(lambda g: calls.append("w"))
        (w * 2).register_hook(lambda g: calls.append("unused"))
        twice = w * 2
        twice.register_hook(lambda g: calls.append("twice"))
        return (twice * x).sum()

    result = grad(f)(ow.tensor(X))
    assert calls == []
    result.sum().backward()
    assert calls == ["twice", "w"]


def test_passes_inside_of_the_function():
    def f(x):
        y = x * 1
        y.register_hook(lambda g: g * 2)
        (g,) = ow.autograd.grad((y**2).sum(), x, create_graph=True)
        return g.sum()

    assert grad(f)(ow.tensor(X)).tolist() == [8, 8]  # both are passes of grad()'s own


def test_hooks_on_inputs_hold_nothing():
    def f(x):
        x.register_hook(lambda g: None)
        alive.append(weakref.ref(x))
        return x.sum()

    alive = []
    grad(f)(ow.tensor(X))
    gc.collect()
    assert alive[0]() is None


def test_errors_leave_no_level():
    def f(x):
        raise ValueError("here")

    with pytest.raises(ValueError, match=r"^here$"):
        grad(f)(ow.tensor(X))
    x = ow.tensor(X, requires_grad=True)
    doubled(x).backward()
    assert x.grad.tolist() == [4, 8]
