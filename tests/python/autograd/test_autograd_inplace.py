"""In-place operators, views and versions: gradients stay right, or an error says why not."""

import pytest


def leaf(ow, *values):
    return ow.tensor(values, dtype=ow.float64, requires_grad=True)


def gradient(ow, function, *values):
    """Gradient of sum(function(x) * (1, 2, 3, …)) at x."""
    x = leaf(ow, *values)
    out = function(x).flatten()
    (out * ow.arange(1, out.numel() + 1, dtype=ow.float64)).sum().backward()
    return x.grad.tolist()


def test_versions_count_changes(ow):
    x = ow.zeros(4)
    assert x._version == 0
    x.add_(1)
    x[0] = 5
    assert x._version == 2
    view = x[1:]
    assert view._version == 2
    view.mul_(2)
    assert x._version == view._version == 3
    assert x.detach()._version == 3
    assert x.clone()._version == 0
    x + 1
    assert x._version == 3


def test_data_does_not_count(ow):
    x = ow.zeros(4)
    x.data.add_(1)
    assert x._version == 0
    assert x.tolist() == [1.0] * 4


def test_views_of_data_do_not_count(ow):
    x = ow.zeros(4)
    data = x.data
    data[0] = 1
    data[1:].view(ow.int32).fill_(0)
    assert (x._version, data._version) == (0, 2)


def test_in_place_chain(ow):
    assert gradient(ow, lambda x: (x * 2).add_(1).mul_(3), 1.0, 2.0) == [6.0, 12.0]
    assert gradient(ow, lambda x: (x * 1).exp_(), 0.0, 0.0) == [1.0, 2.0]
    assert gradient(ow, lambda x: (x * 1).pow_(2), 3.0, 4.0) == [6.0, 16.0]
    assert gradient(ow, lambda x: x.clone().zero_() + x, 3.0, 4.0) == [1.0, 2.0]
    assert gradient(ow, lambda x: (x * 1).fill_(2) + x, 3.0, 4.0) == [1.0, 2.0]


def test_the_grad_fn_of_an_in_place_operator(ow):
    x = leaf(ow, 1.0)
    y = x * 2
    before = y.grad_fn
    y.add_(1)
    assert y.grad_fn is not before
    assert y.grad_fn.name() == "AddBackward0"


def test_write_through_a_view(ow):
    def half(x):
        y = x * 1
        y[:1].mul_(10)
        return y

    def view_after(x):
        y = x * 1
        v = y.view(2, 1)
        y.mul_(10)
        return v

    def view_of_view(x):
        y = x * 1
        y.view(2, 1)[1].exp_()
        return y

    def transposed(x):
        y = x.reshape(1, 2) * 1
        y.t()[1].mul_(5)
        return y

    assert gradient(ow, half, 1.0, 1.0) == [10.0, 2.0]
    assert gradient(ow, view_after, 1.0, 1.0) == [10.0, 20.0]
    assert gradient(ow, view_of_view, 0.0, 0.0) == [1.0, 2.0]
    assert gradient(ow, transposed, 1.0, 1.0) == [1.0, 10.0]


def test_assignment(ow):
    def fill(x):
        y = x * 1
        y[0] = 7
        return y

    def move(x):
        y = x * 2
        y[0] = x[1] * 3
        return y

    def masked(x):
        y = x * 2
        y[x > 1.5] = 0
        return y

    def into_zeros(x):
        y = ow.zeros(3, dtype=ow.float64)
        y[1:] = x
        return y

    def copied(x):
        return ow.zeros(2, dtype=ow.float64).copy_(x)

    assert gradient(ow, fill, 1.0, 2.0) == [0.0, 2.0]
    assert gradient(ow, move, 1.0, 2.0) == [0.0, 7.0]
    assert gradient(ow, masked, 1.0, 2.0) == [2.0, 0.0]
    assert gradient(ow, into_zeros, 1.0, 2.0) == [2.0, 3.0]
    assert gradient(ow, copied, 1.0, 2.0) == [1.0, 2.0]


def test_a_tensor_without_grad_joins_the_graph(ow):
    x = leaf(ow, 2.0, 3.0)
    buffer = ow.ones(2, dtype=ow.float64)
    buffer.mul_(x)
    assert buffer.requires_grad
    assert not buffer.is_leaf
    buffer.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_the_base_learns_of_a_write_through_its_view(ow):
    x = leaf(ow, 2.0, 3.0)
    base = ow.ones(2, dtype=ow.float64)
    view = base[1:]
    view.mul_(x[1:])
    assert base.requires_grad
    assert view.requires_grad
    (base * 1).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_an_old_view_learns_of_a_write_to_its_base(ow):
    x = leaf(ow, 2.0, 3.0)
    base = x * 1
    view = base[:1]
    base.pow_(2)
    view.sum().backward()
    assert x.grad.tolist() == [4.0, 0.0]


def test_sibling_views(ow):
    x = leaf(ow, 2.0, 3.0)
    base = x * 1
    first, both = base[0], base.view(2)
    first.mul_(10)
    both.sum().backward()
    assert x.grad.tolist() == [10.0, 1.0]


def test_views_made_without_grad(ow):
    x = leaf(ow, 2.0, 3.0)
    with ow.no_grad():
        view = x[0]
        view.fill_(7)
    assert x.tolist() == [7.0, 3.0]
    base = x * 1
    with ow.no_grad():
        view = base[0]
    with pytest.raises(RuntimeError, match="no_grad"):
        view.mul_(2)


def test_outputs_of_unbind_cannot_be_written(ow):
    x = leaf(ow, 2.0, 3.0)
    first, _ = (x * 1).unbind()
    with pytest.raises(RuntimeError, match=r"(?i)view"):
        first.mul_(2)
    first, _ = ow.ones(2).unbind()
    first.mul_(2)


def test_detached_views_share_memory_and_version(ow):
    x = leaf(ow, 2.0, 3.0)
    y = x.exp()
    y.detach()[0] = 0
    with pytest.raises(RuntimeError, match="modified"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda x: x.exp(), lambda x, y: y.add_(1)),
        (lambda x: x.sigmoid(), lambda x, y: y[0].mul_(2)),
        (lambda x: x.tanh(), lambda x, y: y.zero_()),
        (lambda x: x.sqrt(), lambda x, y: y.copy_(x)),
        (lambda x: x * x.detach().mul_(1), lambda x, y: x.detach().mul_(1)),
        (lambda x: x.sin(), lambda x, y: x.detach().add_(1)),
        (lambda x: x.softmax(0), lambda x, y: y.mul_(2)),
        (lambda x: x.max(0)[0] * x[0], lambda x, y: x.detach().add_(1)),
    ],
)
def test_a_changed_saved_tensor_is_noticed(ow, make, change):
    x = leaf(ow, 1.0, 2.0)
    y = make(x)
    change(x, y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda x: x + 1, lambda x, y: y.mul_(2)),
        (lambda x: x.exp(), lambda x, y: x.detach().add_(1)),
        (lambda x: x.sin(), lambda x, y: y.mul_(2)),
        (lambda x: x * 2, lambda x, y: y.add_(1)),
        (lambda x: x.relu(), lambda x, y: x.detach().add_(1)),
        (lambda x: x.sum(), lambda x, y: x.detach().add_(1)),
        (lambda x: x.view(2, 1), lambda x, y: x.detach().add_(1)),
        (lambda x: x / (x + 3), lambda x, y: y.add_(1)),
        (lambda x: x / x.norm(), lambda x, y: y.mul_(2)),
        (lambda x: (x * 1).div_(x * x), lambda x, y: y.mul_(2)),
    ],
)
def test_a_change_that_does_not_matter(ow, make, change):
    x = leaf(ow, 1.0, 2.0)
    y = make(x)
    change(x, y)
    y.sum().backward()
    assert x.grad is not None


def test_the_bias_of_a_convolution_may_be_written(ow):
    weight, bias = leaf(ow, 1.0, 2.0), leaf(ow, 3.0)
    shifted = bias * 2
    out = ow.nn.functional.conv1d(ow.ones(1, 1, 4, dtype=ow.float64), weight.view(1, 1, 2), shifted)
    shifted.detach().add_(1)
    out.sum().backward()
    assert (weight.grad.tolist(), bias.grad.tolist()) == ([3, 3], [6])


def test_leaves_cannot_be_written(ow):
    x = leaf(ow, 1.0, 2.0)
    for write in (
        lambda: x.add_(1),
        lambda: x[0].add_(1),
        lambda: x.view(2, 1).zero_(),
        lambda: x.__setitem__(0, 1),
        lambda: x.copy_(ow.ones(2)),
        lambda: x.t_() if x.dim() == 2 else x.exp_(),
    ):
        with pytest.raises(RuntimeError, match="leaf"):
            write()
    assert x.tolist() == [1.0, 2.0]
    with ow.no_grad():
        x.add_(1)
    assert x.tolist() == [2.0, 3.0]


def test_write_to_an_expanded_view(ow):
    with pytest.raises(RuntimeError, match="single memory location"):
        ow.ones(1, 2).expand(3, 2).add_(1)
    y = ow.ones(1, 2).expand(3, 2).clone()
    assert y.add_(1).tolist() == [[2.0, 2.0]] * 3


def test_overlapping_input_and_output(ow):
    x = ow.arange(4.0)
    x.add_(x)
    assert x.tolist() == [0.0, 2.0, 4.0, 6.0]
    y = x.view(2, 2)
    with pytest.raises(RuntimeError, match=r"overlap|memory location"):
        y.add_(y.t())
    ow.add(x, 1, out=x)
    assert x.tolist() == [1.0, 3.0, 5.0, 7.0]


def test_base_of_views(ow):
    x = ow.zeros(2, 3)
    view = x.t()[0].view(2)
    assert view._base is x
    assert view._is_view()
    assert not x._is_view()
    assert x.clone()._base is None
    assert not x.detach()._is_view()


def test_saved_inputs_keep_their_old_value(ow):
    x, w = leaf(ow, 2.0), ow.ones(1, dtype=ow.float64) * 3
    y = x * w
    w = w + 1
    y.sum().backward()
    assert x.grad.item() == 3.0
    assert w.item() == 4.0


def test_data(ow):
    x = leaf(ow, 1.0, 2.0)
    assert not x.data.requires_grad
    assert x.data.data_ptr() == x.data_ptr()
    x.data = ow.tensor([5.0, 6.0, 7.0], dtype=ow.float64)
    assert x.tolist() == [5.0, 6.0, 7.0]
    assert x.requires_grad
    assert x.is_leaf


# One function serves all targets, which writes to what it has made: that is no change that anybody saw.
RESULTS = {
    "clone": lambda ow, x: x.clone(),
    "constant_pad_nd": lambda ow, x: ow.nn.functional.pad(x, (1, 1)),
    "full": lambda ow, x: ow.full((2,), 1.5),
    "index_put": lambda ow, x: x.index_put([ow.tensor([0])], ow.ones(1, 3)),
    "index_fill": lambda ow, x: x.index_fill(0, ow.tensor([0]), 1.5),
    "repeat": lambda ow, x: x.repeat(2, 1),
    "roll": lambda ow, x: x.roll(1, 0),
    "scatter": lambda ow, x: x.scatter(0, ow.tensor([[0, 1]]), 2.0),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("requires_grad", [False, True])
def test_new_results_have_no_changes(ow, name, requires_grad):
    x = ow.ones(2, 3, requires_grad=requires_grad)
    assert RESULTS[name](ow, x)._version == 0


def test_views_move_in_place(ow):
    """The geometry of a view changes; nothing was written, and the base's gradient is no other."""
    moves = {
        "t_": lambda v: v.t_(),
        "transpose_": lambda v: v.transpose_(0, -1),
        "swapdims_": lambda v: v.swapdims_(0, -1),
        "unsqueeze_": lambda v: v.unsqueeze_(0),
        "squeeze_": lambda v: v.unsqueeze_(1).squeeze_(),
    }
    views = [lambda b: b.t(), lambda b: b[1:], lambda b: b.view(2, 2), lambda b: b.unsqueeze(0)[0]]
    for name, move in moves.items():
        for view in views:
            x = ow.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
            weights = ow.tensor([[1.0, 10.0], [100.0, 1000.0]])
            base = x * 1
            moved = view(base)
            move(moved)
            moved.mul_(2)
            seen = view(weights).clone()
            move(seen)
            (by_view,) = ow.autograd.grad((moved * seen).sum(), x, retain_graph=True)
            (by_base,) = ow.autograd.grad((base * weights).sum(), x)
            factor = ow.ones(2, 2)
            view(factor).mul_(2)
            assert by_base.tolist() == (weights * factor).tolist(), name
            assert by_view.tolist() == (weights * factor * (factor - 1)).tolist(), name
