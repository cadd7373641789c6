"""In jacfwd() and hessian() the directions are examples, all at one point: functions may decide by it."""

import pytest


def _decides(ow, x):
    return x * 2 if x[0] > 0 else x * 3


def _reads(ow, x):
    return x * x[1].item() + float(x[0])


def _lists(ow, x):
    return x * ow.tensor(x.detach().tolist())


def _counts(ow, x):
    return x ** int(x[2])


@pytest.mark.parametrize("body", [_decides, _reads, _lists, _counts])
@pytest.mark.parametrize("sign", [1, -1])
def test_directions_share_the_values_of_their_point(ow, body, sign):
    def function(x):
        return body(ow, x)

    x = ow.tensor([sign * 1.0, 2.0, 3.0])
    func = ow.func
    rows = [func.jvp(function, (x,), (direction,))[1] for direction in ow.eye(3)]
    assert ow.equal(func.jacfwd(function)(x), ow.stack(rows, 1))
    twice = func.jacrev(func.jacrev(function))(x)
    assert ow.equal(func.hessian(function)(x), twice)
    assert ow.equal(func.jacfwd(func.jacfwd(function))(x), twice)


def test_points_that_differ_share_none(ow):
    points = ow.tensor([[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0]])
    with pytest.raises(RuntimeError, match=r"^vmap: the values of this tensor differ"):
        ow.func.vmap(ow.func.jacfwd(lambda x: _decides(ow, x)))(points)


def test_outside_forward_mode_equal_examples_decide_nothing(ow):
    with pytest.raises(RuntimeError, match=r"^vmap: the values of this tensor differ"):
        ow.func.vmap(lambda x: _decides(ow, x))(ow.ones(2, 3))


def test_parameters_that_examples_share(ow):
    def loss(w, x):
        return (x * w).sum() * w.sum().item()

    w, xs = ow.tensor([1.0, 2.0]), ow.tensor([[1.0, 2.0], [3.0, 4.0]])
    each = ow.stack([ow.func.grad(loss)(w, x) for x in xs])
    assert ow.equal(ow.func.vmap(ow.func.grad(loss), (None, 0))(w, xs), each)


@pytest.mark.parametrize("name", ["jvp", "jacfwd", "jacrev", "hessian"])
def test_what_is_differentiated_is_no_number(ow, name):
    def function(x):
        return ow.add(x, x, alpha=x[0])

    x = ow.tensor([0.7, 1.3])
    transform = getattr(ow.func, name)
    with pytest.raises(TypeError, match=r"alpha"):
        transform(function, (x,), (x,)) if name == "jvp" else transform(function)(x)


def test_an_array_of_what_directions_share_would_be_a_copy(ow):
    with pytest.raises(RuntimeError, match=r"^vmap: the values of this tensor differ"):
        ow.func.jacfwd(lambda x: x * ow.from_numpy(x.detach().clone().numpy()))(ow.ones(2))


def _scaled_sine(x):
    return x.sin() * x.sum()


@pytest.mark.parametrize("transform", ["jacrev", "hessian"])
def test_a_jacobian_lies_in_one_piece_for_each_example(ow, transform):
    func = ow.func
    x = ow.arange(6.0).reshape(2, 3)
    inner = _scaled_sine if transform == "jacrev" else lambda v: _scaled_sine(v).sum()
    each = func.vmap(getattr(func, transform)(inner))(x)
    if transform == "jacrev":
        assert each.view(2, 9).shape == (2, 9)

    def written(v):
        jacobian = func.jacrev(_scaled_sine)(v)
        jacobian.reshape(-1).add_(jacobian.sum())
        return jacobian.sum()

    ow.testing.assert_close(func.vmap(written)(x), ow.stack([written(v) for v in x]))


def test_weights_of_each_example_have_gradients_in_one_piece(ow):
    def loss(w, x):
        return ow.nn.functional.linear(x, w).pow(2).sum()

    found = ow.func.vmap(ow.func.grad(loss), (None, 0))(ow.ones(4, 3), ow.ones(5, 3))
    assert found.is_contiguous()
    w = ow.ones(4, 3, requires_grad=True)
    for product in (lambda: ow.ones(5, 3) @ w.t(), lambda: w.t() @ ow.ones(4, 5)):
        assert ow.autograd.grad(product().sin().sum(), w)[0].is_contiguous()
