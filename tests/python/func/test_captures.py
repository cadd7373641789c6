"""What a function that grad(), vjp() or jvp() differentiates may write: nothing that it captures."""

import opweave as ow
import pytest

CAPTURED = (
    r"During a grad \(vjp, jvp, grad, etc\) transform, the function provided attempted to call in-place "
    r"operation \({}\) that would mutate a captured Tensor\. This is not supported; please rewrite the "
    r"function being transformed to explicitly accept the mutated Tensor\(s\) as inputs\."
)

WRITES = {
    "add_.Tensor": lambda s, x: s.add_(x),
    "add_.Scalar": lambda s, x: ow.ops.add_.Scalar(s, 1),
    "copy_": lambda s, x: s.__setitem__(0, x[0]),
    "fill_.Scalar": lambda s, x: s.fill_(1),
    "mul_.Tensor": lambda s, x: s.data.mul_(2),
    "t_": lambda s, x: s.t_(),
    "zero_": lambda s, x: s[1:].zero_(),
    "relu_": lambda s, x: ow.relu_(s),
}


def transforms(f, x):
    yield lambda: ow.func.grad(f)(x)
    yield lambda: ow.func.grad_and_value(f)(x)
    yield lambda: ow.func.vjp(f, x)
    yield lambda: ow.func.jvp(f, (x,), (x,))
    yield lambda: ow.func.jacrev(f)(x)
    yield lambda: ow.func.hessian(f)(x)
    yield lambda: ow.func.grad(lambda y: ow.func.grad(f)(y).sum())(x)
    yield lambda: ow.func.vmap(ow.func.grad(f))(ow.stack([x, x]))


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("recorded", [True, False])
def test_writes_to_captured_tensors_are_refused(name, recorded):
    s = ow.zeros(3)

    def f(x):
        with ow.set_grad_enabled(recorded):
            WRITES[name](s, x)
        return (x * x).sum()

    for call in transforms(f, ow.ones(3)):
        with pytest.raises(RuntimeError, match=CAPTURED.format(name.replace(".", r"\."))):
            call()
    assert s.tolist() == [0, 0, 0]
    WRITES[name](s, ow.ones(3))  # outside it is taken


def test_what_a_function_makes_it_may_write():
    def f(x):
        y = ow.zeros_like(x)
        y.add_(x).mul_(2)
        z = x * 2
        z.mul_(3)
        return (y * z).sum()

    x = ow.tensor([1.0, 2.0, 3.0])
    wanted = [24, 48, 72]
    assert ow.func.grad(f)(x).tolist() == wanted
    assert ow.func.jacrev(f)(x).tolist() == wanted
    assert ow.func.jacfwd(f)(x).tolist() == wanted
    assert ow.func.vmap(ow.func.grad(f))(ow.stack([x, x])).tolist() == [wanted, wanted]


def test_views_of_it_as_well():
    def f(x):
        y = ow.zeros(3)
        y[0] = x[1]
        z = x * 2
        z[1:].mul_(3)
        return (y * z).sum() + z.sum()

    x = ow.tensor([1.0, 2.0, 3.0])
    assert ow.func.grad(f)(x).tolist() == [6, 8, 6]


def test_of_nested_functions_the_outer_ones_tensors_are_captured():
    def outer(x):
        y = x * 2
        return ow.func.grad(lambda z: y.add_(z).sum())(x).sum()

    with pytest.raises(RuntimeError, match=r"operation \(add_\.Tensor\) that would mutate"):
        ow.func.grad(outer)(ow.ones(2))

    def made_inside(x):
        return ow.func.grad(lambda z: (z * z).sum())(x).add_(1).sum()

    assert ow.func.grad(made_inside)(ow.ones(2)).tolist() == [2, 2]


def test_afterwards_everything_may_be_written():
    s = ow.zeros(2)
    with pytest.raises(RuntimeError, match="captured"):
        ow.func.grad(lambda x: s.add_(x).sum())(ow.ones(2))
    with pytest.raises(ZeroDivisionError):
        ow.func.grad(lambda x: 1 // 0)(ow.ones(2))
    _, pull = ow.func.vjp(lambda x: x * 2, ow.ones(2))
    pull(ow.ones(2))
    assert s.add_(1).tolist() == [1, 1]


def test_an_out_argument_is_not_an_in_place_operation():
    s = ow.zeros(2)
    ow.func.grad(lambda x: (ow.add(ow.ones(2), 1, out=s) * x).sum())(ow.ones(2))
    assert s.tolist() == [2, 2]
