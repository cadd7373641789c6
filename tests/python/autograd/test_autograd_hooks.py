"""Hooks on tensors and nodes, and anomaly mode."""

import traceback
import warnings

import pytest


def leaf(ow, *values):
    return ow.tensor(values, dtype=ow.float64, requires_grad=True)


def test_a_hook_sees_and_changes_the_gradient(ow):
    x = leaf(ow, 1.0, 2.0)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert seen == [[1.0, 1.0]]
    assert x.grad.tolist() == [21.0, 21.0]


def test_hooks_run_in_the_order_of_registration(ow):
    x = leaf(ow, 1.0)
    order = []
    for name in "abc":
        x.register_hook(lambda g, name=name: order.append(name))
    x.sum().backward()
    assert order == ["a", "b", "c"]


def test_a_hook_can_be_removed(ow):
    x = leaf(ow, 1.0)
    handle = x.register_hook(lambda g: g * 100)
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_every_hook_has_the_same_kind_of_handle(ow):
    from opweave.utils.hooks import RemovableHandle

    x = leaf(ow, 1.0)
    y = x * 2
    net = ow.nn.Linear(1, 1)
    step = ow.optim.SGD(net.parameters(), lr=0.1)
    handles = [
        x.register_hook(lambda g: g),
        x.register_post_accumulate_grad_hook(lambda leaf: None),
        y.grad_fn.register_hook(lambda inputs, outputs: None),
        y.grad_fn.register_prehook(lambda outputs: None),
        net.register_forward_hook(lambda m, args, out: out),
        step.register_step_pre_hook(lambda optimizer, args, kwargs: None),
    ]
    assert {type(handle) for handle in handles} == {RemovableHandle}
    assert all(isinstance(handle.id, int) for handle in handles)


def test_a_handle_of_hooks_in_a_dictionary(ow):
    from collections import OrderedDict

    from opweave.utils.hooks import RemovableHandle

    hooks, more = OrderedDict(), OrderedDict()
    handle = RemovableHandle(hooks, extra_dict=more)
    hooks[handle.id] = more[handle.id] = print
    handle.remove()
    handle.remove()
    assert not hooks
    assert not more


def test_a_handle_is_a_context_manager(ow):
    x = leaf(ow, 1.0)
    with x.register_hook(lambda g: g * 5):
        x.sum().backward()
    x.sum().backward()
    assert x.grad.tolist() == [6.0]


def test_a_hook_sees_the_whole_gradient_once(ow):
    x = leaf(ow, 3.0)
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append(g.item()))
    (y * y + y).sum().backward()
    assert seen == [7.0]


def test_hooks_run_for_grad_too(ow):
    x = leaf(ow, 3.0)
    x.register_hook(lambda g: g * 2)
    y = x * 1
    y.register_hook(lambda g: g * 5)
    (g,) = ow.autograd.grad((y * y).sum(), x)
    assert g.item() == 60.0


def test_post_accumulate_hook(ow):
    x = leaf(ow, 1.0)
    seen = []

    def hook(parameter):
        seen.append((parameter is x, parameter.grad.item()))
        parameter.grad = None

    handle = x.register_post_accumulate_grad_hook(hook)
    (x * 3).sum().backward()
    (x * 4).sum().backward()
    assert seen == [(True, 3.0), (True, 4.0)]
    assert x.grad is None
    handle.remove()
    x.sum().backward()
    assert x.grad.item() == 1.0


def test_node_hooks(ow):
    x = leaf(ow, 2.0)
    y = x * 3
    seen = []
    y.grad_fn.register_prehook(lambda grads: tuple(g * 10 for g in grads))
    y.grad_fn.register_hook(
        lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item()))
    )
    y.sum().backward()
    assert seen == [(30.0, 10.0)]
    assert x.grad.item() == 30.0


def test_an_exception_in_a_hook_arrives(ow):
    x = leaf(ow, 1.0)
    y = x * 2

    def hook(grad):
        raise KeyError("from the hook")

    y.register_hook(hook)
    with pytest.raises(KeyError, match="from the hook"):
        y.sum().backward()
    assert x.grad is None


def test_a_hook_may_run_backward_itself(ow):
    x, inner = leaf(ow, 1.0), leaf(ow, 5.0)

    def hook(grad):
        with ow.enable_grad():
            (inner * 2).sum().backward()

    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    assert (x.grad.item(), inner.grad.item()) == (2.0, 2.0)


def test_hooks_of_a_tensor_changed_in_place(ow):
    x = leaf(ow, 1.0)
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(("before", g.item())))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("after", g.item())))
    y.sum().backward()
    assert sorted(seen) == [("after", 1.0), ("before", 3.0)]


def test_create_graph_through_hooks(ow):
    x = leaf(ow, 3.0)
    x.register_hook(lambda g: g * g)
    (g,) = ow.autograd.grad(x.pow(2).sum(), x, create_graph=True)
    assert g.item() == 36.0


def bad_root(x):
    return x.sqrt()


@pytest.mark.filterwarnings("ignore")
def test_anomaly_mode_names_the_operator_and_its_line(ow):
    x = leaf(ow, 0.0)
    with warnings.catch_warnings(record=True) as caught, ow.autograd.detect_anomaly():
        warnings.simplefilter("always")
        y = (bad_root(x) * 0).sum()
        with pytest.raises(RuntimeError, match="nan") as error:
            y.backward()
    told = "".join([str(error.value), *(str(w.message) for w in caught)])
    assert "SqrtBackward0" in told
    assert "bad_root" in told


def test_nan_passes_without_anomaly_mode(ow):
    x = leaf(ow, 0.0)
    (bad_root(x) * 0).sum().backward()
    assert x.grad.isnan().item()


def test_anomaly_mode_can_be_set(ow):
    assert not ow.is_anomaly_enabled()
    with ow.autograd.set_detect_anomaly(True):
        assert ow.is_anomaly_enabled()
    assert not ow.is_anomaly_enabled()


def test_the_error_of_a_second_backward_has_no_internal_lines(ow):
    x = leaf(ow, 1.0)
    y = x.exp().sum()
    y.backward()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    assert "second time" in "".join(traceback.format_exception_only(caught.value))


def _counted(register):
    """How often a hook runs that registers itself again whenever it runs."""
    calls = []

    def again(*_):
        calls.append(1)
        if len(calls) < 100:
            register(again)

    register(again)
    return calls


def test_hooks_that_are_registered_while_hooks_run_wait_for_the_next_time(ow):
    x = ow.ones(2, requires_grad=True)
    y = x * 2
    z, w = y.unbind()
    found = [
        _counted(hooked)
        for hooked in (
            x.register_hook,
            y.register_hook,
            x.register_post_accumulate_grad_hook,
            y.grad_fn.register_hook,
            y.grad_fn.register_prehook,
        )
    ]
    (z + w).backward(retain_graph=True)
    assert [len(calls) for calls in found] == [1] * 5
    (z + w).backward()
    assert [len(calls) for calls in found] == [3] * 5


def test_a_hook_registers_hooks_on_the_other_results_of_its_node(ow):
    parts = ow.ones(64, requires_grad=True).mul(2).unbind()
    seen = []

    def hook_all(_):
        for part in parts:
            part.register_hook(seen.append)

    parts[0].register_hook(hook_all)
    sum(parts).backward()
    assert not seen


def test_a_hook_may_remove_every_hook(ow):
    x, seen = ow.ones(2, requires_grad=True), []

    def first(_):
        seen.append("first")
        for handle in handles:
            handle.remove()

    handles = [x.register_hook(first), *(x.register_hook(seen.append) for _ in range(5))]
    (x * 2).sum().backward()
    assert seen == ["first"]


@pytest.mark.parametrize("register", ["register_hook", "register_prehook"])
@pytest.mark.parametrize(
    ("result", "name"), [(lambda g: g, "Tensor"), (lambda g: 3, "int"), (lambda g: [g], "list")]
)
def test_a_hook_of_a_node_returns_a_tuple(ow, register, result, name):
    x = ow.ones(2, requires_grad=True)
    y = x * 2
    getattr(y.grad_fn, register)(lambda *grads: result(grads[0][0]))
    with pytest.raises(TypeError, match=f"^expected tuple, but hook returned '{name}'$"):
        y.sum().backward()


@pytest.mark.parametrize("change", ["t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_"])
def test_a_hook_of_a_view_stays_when_its_geometry_changes_in_place(ow, change):
    arguments = {"transpose_": (0, 1), "unsqueeze_": (0,), "swapaxes_": (0, 1)}.get(change, ())
    x = ow.arange(6, dtype=ow.float64).reshape(2, 3).requires_grad_()
    base = x * 1
    part = base[:, :2]
    part.register_hook(lambda g: g * 10)
    getattr(part, change)(*arguments)
    (part.sum() + base.sum()).backward(retain_graph=True)
    assert x.grad.tolist() == [[11.0, 11.0, 1.0]] * 2
    # Written later, it is a part of its base as ever.
    part.mul_(2)
    base.mul_(3)
    (grad,) = ow.autograd.grad(part.sum(), x)
    assert grad.tolist() == [[6.0, 6.0, 0.0]] * 2


@pytest.mark.parametrize(
    "mean", [lambda t: t.mean(), lambda t: t.mean(1).sum(), lambda t: t.t().mean()]
)
def test_a_hook_writes_the_gradient_of_a_mean(ow, mean):
    x = ow.ones(2, 3, requires_grad=True)
    y = x * 1
    y.register_hook(lambda grad: grad.clamp_(max=0.125))
    mean(y).backward()
    assert x.grad.tolist() == [[0.125] * 3] * 2
