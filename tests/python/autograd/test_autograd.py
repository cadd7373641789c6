"""The autograd engine from Python: backward, grad, modes, hooks, deep graphs, threads."""

import gc
import threading
import weakref

import pytest


def leaf(ow, *values):
    return ow.tensor(values, dtype=ow.float64, requires_grad=True)


def test_leaf_and_graph_attributes(ow):
    x = leaf(ow, 1.0, 2.0)
    y = x * 2
    assert (x.is_leaf, x.grad_fn, x.requires_grad) == (True, None, True)
    assert (y.is_leaf, y.requires_grad) == (False, True)
    assert y.grad_fn is not None
    assert not ow.ones(2).requires_grad
    assert ow.ones(2).is_leaf
    assert (ow.ones(2) * 2).is_leaf
    assert not (x > 0).requires_grad
    assert not x.argmax().requires_grad
    assert not x.detach().requires_grad


def test_backward_accumulates(ow):
    x = leaf(ow, 1.0, 2.0)
    assert x.grad is None
    (x * 3).sum().backward()
    first = x.grad
    assert first.tolist() == [3.0, 3.0]
    (x * 3).sum().backward()
    assert x.grad is first
    assert first.tolist() == [6.0, 6.0]
    x.grad = None
    x.pow(2).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert x.grad is not first


def test_grad_attribute(ow):
    x = leaf(ow, 1.0, 2.0)
    x.sum().backward()
    assert x.grad is x.grad
    x.grad.zero_()
    assert x.grad.tolist() == [0.0, 0.0]
    x.grad = ow.ones(2, dtype=ow.float64)
    x.grad.add_(1)
    assert x.grad.tolist() == [2.0, 2.0]
    assert not x.grad.requires_grad
    del x.grad
    assert x.grad is None


def test_backward_with_a_gradient(ow):
    x = leaf(ow, 1.0, 2.0)
    (x * x).backward(ow.tensor([1.0, 10.0], dtype=ow.float64))
    assert x.grad.tolist() == [2.0, 40.0]
    ow.autograd.backward([x.sum(), (x * 2).sum()], inputs=[x])
    assert x.grad.tolist() == [5.0, 43.0]


def test_backward_to_chosen_inputs(ow):
    x, y = leaf(ow, 1.0), leaf(ow, 2.0)
    (x * y).sum().backward(inputs=[x])
    assert x.grad.tolist() == [2.0]
    assert y.grad is None


def test_backward_on_a_leaf(ow):
    x = leaf(ow, 1.0)
    x.sum().backward()
    x.backward()
    assert x.grad.tolist() == [2.0]


def test_one_tensor_used_many_times(ow):
    x = leaf(ow, 2.0)
    y = x * x
    z = y + y * x + x
    z.sum().backward()
    assert x.grad.tolist() == [2 * 2 + 3 * 4 + 1]


def test_diamond(ow):
    x = leaf(ow, 0.5)
    a = x.exp()
    (a * a.sin() + a.cos()).sum().backward()
    expected = (x.exp() * x.exp().cos() * x.exp()).item()
    assert x.grad.item() == pytest.approx(expected)


def test_retain_graph(ow):
    x = leaf(ow, 1.0, 2.0)
    y = x.exp().sum()
    y.backward(retain_graph=True)
    once = x.grad.clone()
    y.backward()
    assert x.grad.equal(once * 2)
    with pytest.raises(RuntimeError, match="retain_graph"):
        y.backward()


def test_a_graph_without_saved_tensors_can_be_used_again(ow):
    x = leaf(ow, 1.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0]


def test_grad(ow):
    x, y = leaf(ow, 3.0), leaf(ow, 4.0)
    gx, gy = ow.autograd.grad((x * y).sum(), (x, y))
    assert (gx.item(), gy.item()) == (4.0, 3.0)
    assert x.grad is None
    (g,) = ow.autograd.grad(x * y, x, grad_outputs=ow.tensor([2.0], dtype=ow.float64))
    assert g.item() == 8.0
    (g,) = ow.autograd.grad([x * y, x * 2], [x], [ow.ones(1, dtype=ow.float64)] * 2)
    assert g.item() == 6.0


def test_grad_of_what_is_not_used(ow):
    x, y = leaf(ow, 3.0), leaf(ow, 4.0)
    out = (x * 2).sum()
    with pytest.raises(RuntimeError, match="allow_unused"):
        ow.autograd.grad(out, [x, y], retain_graph=True)
    gx, gy = ow.autograd.grad(out, [x, y], allow_unused=True, retain_graph=True)
    assert (gx.item(), gy) == (2.0, None)
    gx, gy = ow.autograd.grad(out, [x, y], materialize_grads=True)
    assert (gx.item(), gy.item()) == (2.0, 0.0)


def test_grad_to_an_intermediate(ow):
    x = leaf(ow, 3.0)
    y = x * 2
    z = (y * y).sum()
    (g,) = ow.autograd.grad(z, y)
    assert g.item() == 12.0
    assert x.grad is None


def test_higher_orders(ow):
    x = leaf(ow, 2.0)
    value, orders = x.pow(4).sum(), []
    for _ in range(5):
        (value,) = ow.autograd.grad(value.sum(), x, create_graph=True)
        orders.append(value.item())
    assert orders == [32.0, 48.0, 48.0, 24.0, 0.0]


@pytest.mark.filterwarnings("ignore")
def test_backward_with_create_graph(ow):
    x = leaf(ow, 2.0)
    x.pow(3).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    assert x.grad.item() == 12.0
    penalty = x.grad.pow(2).sum()
    x.grad = None
    penalty.backward()
    assert x.grad.item() == 2 * 12 * 12.0


def test_no_grad(ow):
    x = leaf(ow, 1.0)
    with ow.no_grad():
        assert not ow.is_grad_enabled()
        assert not (x * 2).requires_grad
        assert ow.ones(1, requires_grad=True).requires_grad
        with ow.enable_grad():
            assert (x * 2).requires_grad
        assert not ow.is_grad_enabled()
        x.add_(1)
    assert ow.is_grad_enabled()
    assert x.tolist() == [2.0]


def test_no_grad_as_a_decorator(ow):
    x = leaf(ow, 1.0)

    @ow.no_grad()
    def double(t):
        return t * 2

    @ow.no_grad
    def triple(t):
        return t * 3

    assert not double(x).requires_grad
    assert not triple(x).requires_grad
    assert double.__name__ == "double"
    assert ow.is_grad_enabled()


def test_modes_survive_exceptions(ow):
    for mode in (ow.no_grad, ow.inference_mode, lambda: ow.set_grad_enabled(False)):
        with pytest.raises(KeyError), mode():
            raise KeyError
        assert ow.is_grad_enabled()


def test_set_grad_enabled(ow):
    x = leaf(ow, 1.0)
    with ow.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    with ow.set_grad_enabled(True):
        assert (x * 2).requires_grad
    ow.set_grad_enabled(False)
    assert not (x * 2).requires_grad
    ow.set_grad_enabled(True)
    assert (x * 2).requires_grad


def test_inference_mode(ow):
    x = leaf(ow, 1.0)
    with ow.inference_mode():
        assert ow.is_inference_mode_enabled()
        y = x * 2
        assert not y.requires_grad
        assert y.is_inference()
        y.add_(1)
    assert not ow.is_inference_mode_enabled()
    assert not x.is_inference()
    with pytest.raises(RuntimeError, match=r"(?i)inference"):
        (x * y).sum()
    with pytest.raises(RuntimeError, match=r"(?i)inference"):
        y.add_(1)
    assert (y.clone() * x).requires_grad
    assert not (y + 1).requires_grad


def test_modes_are_per_thread(ow):
    seen = []
    with ow.no_grad():
        thread = threading.Thread(target=lambda: seen.append(ow.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_detach(ow):
    x = leaf(ow, 1.0, 2.0)
    d = x.detach()
    assert d.data_ptr() == x.data_ptr()
    assert not d.requires_grad
    d[0] = 7
    assert x.tolist() == [7.0, 2.0]
    (x * d).sum().backward()
    assert x.grad.tolist() == [7.0, 2.0]
    y = x * 2
    y.detach_()
    assert y.is_leaf
    assert not y.requires_grad


def test_requires_grad_(ow):
    x = ow.ones(2)
    assert x.requires_grad_() is x
    assert x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad
    assert not x.requires_grad_(False).requires_grad


def test_retain_grad(ow):
    x = leaf(ow, 2.0)
    y = x * 3
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward()
    assert y.grad.tolist() == [12.0]
    assert x.grad.tolist() == [36.0]


def test_next_functions(ow):
    x = leaf(ow, 2.0)
    y = x * 3 + 1
    assert y.grad_fn.name() == "AddBackward0"
    (multiply, index), *_ = y.grad_fn.next_functions
    assert (multiply.name(), index) == ("MulBackward0", 0)
    accumulate = multiply.next_functions[0][0]
    assert accumulate.variable is x


def test_deep_graphs(ow):
    x = ow.ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    y.backward()
    assert x.grad.tolist() == [1.0]
    y = x
    for _ in range(100_000):
        y = y * 1
    del y


def test_a_tensor_of_a_tensor_keeps_its_history(ow):
    x = leaf(ow, 3.0)
    y = x * 2
    (ow.Tensor(y) * y).backward()
    assert x.grad.item() == 24.0
    assert ow.Tensor(x).requires_grad
    assert ow.func.grad(lambda v: (ow.Tensor(v) * v).sum())(x.detach()).item() == 6.0


def test_graphs_are_freed(ow):
    x = leaf(ow, 1.0)
    y = x * 2
    reference = weakref.ref(y)
    z = y.exp().sum()
    del y
    gc.collect()
    z.backward()
    del z
    gc.collect()
    assert reference() is None


def test_backward_from_several_threads(ow):
    shared = leaf(ow, 1.0, 2.0)
    results, errors = [None] * 8, []

    def work(i):
        try:
            x = leaf(ow, float(i), 1.0)
            for _ in range(20):
                (g,) = ow.autograd.grad((x * x * shared.detach()).sum(), x)
            results[i] = g.tolist()
            (shared * i).sum().backward()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert results == [[2.0 * i, 4.0] for i in range(8)]
    assert shared.grad.tolist() == [28.0, 28.0]


def test_one_graph_from_several_threads(ow):
    x = leaf(ow, 2.0)
    y = x.exp().sum()
    errors = []

    def work():
        try:
            y.backward(retain_graph=True)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert x.grad.item() == pytest.approx(4 * x.exp().item())


def test_integer_outputs_take_no_part(ow):
    x = leaf(ow, 3.0, 1.0)
    values, indices = x.sort()
    assert values.requires_grad
    assert not indices.requires_grad
    values[0].backward()
    assert x.grad.tolist() == [0.0, 1.0]
