"""What autograd refuses rather than give a wrong gradient, and gradients where a choice has to be made."""

import opweave as ow
import opweave.nn.functional as F
import pytest


def refused(function, match):
    with pytest.raises(RuntimeError, match=match):
        function()


class View(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


class Halves(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:2], x[2:]

    @staticmethod
    def backward(ctx, a, b):
        return ow.cat([a, b])


def test_views_of_a_custom_function_are_not_written():
    x = ow.ones(4, requires_grad=True) * 1
    refused(lambda: View.apply(x).add_(1), "created inside a custom Function")
    refused(lambda: Halves.apply(x)[0].add_(1), "a function that returns multiple views")
    start = ow.ones(4, requires_grad=True)
    (View.apply(start * 1) * 3).sum().backward()
    assert start.grad.tolist() == [6] * 4


def test_a_saved_tensor_that_was_detached_in_place():
    x = ow.ones(2, requires_grad=True)
    middle = x * 2
    result = (middle**2).sum()
    middle.detach_()
    refused(result.backward, "saved tensor that has been detached in-place")


def test_leaves_may_stop_requiring_gradients():
    x = ow.ones(2, requires_grad=True)
    result = (x * x).sum()
    x.requires_grad_(False)
    result.backward()


def test_a_result_may_be_detached_in_place():
    x = ow.zeros(2, requires_grad=True)
    middle = (x * 1).exp()
    result = (middle * 2).sum()
    middle.detach_()
    result.backward()
    assert x.grad.tolist() == [2, 2]


def test_a_pack_hook_leaves_its_input_alone():
    def compute():
        x = ow.ones(2, requires_grad=True)
        with ow.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            (x * 1) ** 2

    refused(compute, "A saved tensor pack hook is modifying its input in place")


def test_the_gradient_of_a_computed_tensor_warns():
    x = ow.ones(2, requires_grad=True)
    y = x * 2
    with pytest.warns(UserWarning, match=r"The \.grad attribute of a Tensor that is not a leaf"):
        assert y.grad is None


def test_zeros_of_unused_inputs_are_differentiated_further():
    x, y = ow.tensor(2.0, requires_grad=True), ow.tensor(3.0, requires_grad=True)
    of_x, of_y = ow.autograd.grad(x**2, (x, y), create_graph=True, materialize_grads=True)
    assert of_y.requires_grad
    assert ow.autograd.grad(of_y, y, materialize_grads=True)[0].item() == 0
    assert ow.autograd.grad(of_x, x)[0].item() == 2


@pytest.mark.parametrize("name", ["fmax", "fmin", "maximum", "minimum"])
def test_ties_share_the_gradient(name):
    a = ow.tensor([1.0, 2.0], requires_grad=True)
    b = ow.tensor([1.0, 3.0], requires_grad=True)
    (getattr(ow, name)(a, b) * ow.tensor([4.0, 8.0])).sum().backward()
    larger = name in ("fmax", "maximum")
    assert a.grad.tolist() == [2, 0 if larger else 8]
    assert b.grad.tolist() == [2, 8 if larger else 0]


def test_a_position_that_is_filled_twice_counts_once():
    value = ow.tensor(2.0, requires_grad=True)
    filled = ow.ones(3).index_fill(0, ow.tensor([0, 0, 1]), value)
    (filled * ow.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert value.grad.item() == 11


@pytest.mark.parametrize(("stride", "output_padding", "dilation"), [(1, 1, 2), (2, 2, 3)])
def test_transposed_convolution_with_a_wide_output_padding(stride, output_padding, dilation):
    ow.manual_seed(0)
    x = ow.randn(1, 2, 3, 3, dtype=ow.float64, requires_grad=True)
    w = ow.randn(2, 2, 2, 2, dtype=ow.float64, requires_grad=True)

    def function(x, w):
        return F.conv_transpose2d(
            x, w, stride=stride, output_padding=output_padding, dilation=dilation
        )

    assert ow.autograd.gradcheck(function, (x, w))
    assert ow.autograd.gradgradcheck(function, (x, w))

    def second(x, w):
        (g,) = ow.autograd.grad((function(x, w) ** 2).sum(), x, create_graph=True)
        return ow.autograd.grad((g**2).sum(), (x, w))

    # Another library serves float32.
    narrow = [t.detach().float().requires_grad_() for t in (x, w)]
    for got, expected in zip(second(*narrow), second(x, w), strict=True):
        assert ow.allclose(got.double(), expected, rtol=1e-4, atol=1e-3)


def test_a_convolution_that_only_its_padding_makes_possible():
    assert F.conv1d(ow.ones(1, 1, 8), ow.ones(1, 1, 1), dilation=2**40).tolist() == [[[1.0] * 8]]


def test_what_writes_without_a_gradient_loses_none():
    start = ow.arange(4.0, requires_grad=True)
    written = start * 2
    ow.ops._fill_range_(written, 0, 1)
    refused(
        lambda: written.sum().backward(), "the derivative for '_fill_range_' is not implemented"
    )
    assert start.grad is None
    with ow.autograd.forward_ad.dual_level():
        dual = ow.autograd.forward_ad.make_dual(ow.arange(4.0), ow.ones(4))
        refused(
            lambda: ow.ops._fill_range_(dual, 0, 1),
            "the derivative for '_fill_range_' is not implemented",
        )
        equal = dual * 2
        equal.eq_(1)
        assert ow.autograd.forward_ad.unpack_dual(equal).tangent.tolist() == [0] * 4
    compared = start * 2
    compared.eq_(1)  # constant, where it has a derivative
    compared.sum().backward()
    assert start.grad.tolist() == [0] * 4


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("_unique2", ow.unique),
        ("unique_consecutive", ow.unique_consecutive),
        ("unique_dim", lambda t: ow.unique(t.reshape(2, 2), dim=0)),
        ("unique_consecutive", lambda t: ow.unique_consecutive(t, return_inverse=True)[0]),
    ],
)
def test_what_has_no_derivative_says_so_in_both_directions(name, function):
    x = ow.tensor([3.0, 1.0, 1.0, 2.0], requires_grad=True)
    result = function(x)
    assert result.requires_grad
    said = f"the derivative for '{name}' is not implemented"
    refused(lambda: result.sum().backward(), said)
    refused(lambda: ow.func.jvp(function, (x.detach(),), (ow.ones(4),)), said)
    refused(lambda: ow.func.grad(lambda t: function(t).sum())(x), said)


# --- inputs that a function depends on and has no gradient for -----------------------------------------
def _cross_entropy(w):
    return F.cross_entropy(ow.arange(12.0).reshape(3, 4).cos(), ow.tensor([0, 1, 3]), w)


def _nll_of_maps(w):
    return F.nll_loss(
        ow.arange(12.0).reshape(3, 4, 1, 1).cos(), ow.tensor([[[0]], [[1]], [[3]]]), w
    )


def _batch_norm(w):
    return F.batch_norm(ow.arange(12.0).reshape(3, 4), w, ow.ones(4)).sum()


def _batch_norm_in_training(w):
    return F.batch_norm(ow.arange(12.0).reshape(3, 4), ow.zeros(4), w, training=True).sum()


def _fractional_pool(w):
    return F.fractional_max_pool2d(
        ow.arange(128.0).reshape(1, 2, 8, 8), 2, 3, _random_samples=w.reshape(1, 2, 2) / 5
    ).sum()


@pytest.mark.parametrize(
    "f",
    [_cross_entropy, _nll_of_maps, _batch_norm, _batch_norm_in_training, _fractional_pool],
    ids=lambda f: f.__name__,
)
def test_inputs_without_a_gradient(f):
    words = (
        "is not differentiable with respect to argument "
        "'(weight|running_mean|running_var|_random_samples)'"
    )
    w = ow.ones(4)
    refused(lambda: f(w.clone().requires_grad_()), words + ".*requires_grad True")
    refused(lambda: ow.func.grad(f)(w), words)
    refused(lambda: ow.func.jvp(f, (w,), (w,)), words + ".*tangent")
    if f is not _batch_norm_in_training:  # what examples share is not written either
        refused(lambda: ow.vmap(ow.func.grad(f))(ow.stack([w, w])), words)
    with ow.no_grad():
        f(w.clone().requires_grad_())


@pytest.mark.parametrize("name", ["apply_", "map_", "map2_"])
def test_a_write_by_a_function_of_python(name):
    others = [ow.ones(3)] * {"apply_": 0, "map_": 1, "map2_": 2}[name]
    y = ow.ones(3, requires_grad=True) * 1
    words = f"Can't call {name}\\(\\) on Variable that requires grad"
    refused(lambda: getattr(y, name)(*others, max if others else abs), words)
    if others:
        refused(lambda: getattr(ow.ones(3), name)(*others[1:], y, max), words)


@pytest.mark.parametrize("way", ["grad", "backward"])
def test_outputs_that_lead_to_no_input_are_left_alone(way):
    a, d = ow.ones(2, requires_grad=True), ow.ones(2, requires_grad=True)
    aside, seen = a.sin(), []
    aside.register_hook(seen.append)
    aside.retain_grad()
    outputs, seeds = [d * 2, aside], [ow.ones(2), ow.ones(2)]
    if way == "grad":
        (found,) = ow.autograd.grad(outputs, [d], seeds)
    else:
        ow.autograd.backward(outputs, seeds, inputs=[d])
        found = d.grad
    assert found.tolist() == [2, 2]
    assert seen == []
    assert aside.grad is None
    assert a.grad is None
