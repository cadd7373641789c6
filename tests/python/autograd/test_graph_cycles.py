"""Cycles through what nodes of a graph have saved are found by the collector of Python."""

import ast
import gc
import os
import subprocess
import sys
import weakref

import pytest


class _Kept:
    """Something that a weak reference can watch."""


def _keeper(ow, save, *, forward=None):
    class Keeps(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x * 2
            save(ctx, x, result)
            return result

        @staticmethod
        def backward(ctx, grad):
            return grad

    return Keeps


def _saves_input(ow):
    return _keeper(ow, lambda ctx, x, result: ctx.save_for_backward(x))


def _has_input(ow):
    return _keeper(ow, lambda ctx, x, result: setattr(ctx, "x", x))


def _has_inputs(ow):
    return _keeper(ow, lambda ctx, x, result: setattr(ctx, "all", [1, (x, {"x": x})]))


def _saves_result(ow):
    return _keeper(ow, lambda ctx, x, result: ctx.save_for_backward(result))


def _has_result(ow):
    return _keeper(ow, lambda ctx, x, result: setattr(ctx, "result", result))


FUNCTIONS = (_saves_input, _has_input, _has_inputs, _saves_result, _has_result)


def _graphs(ow):
    graphs = {
        "mul": lambda x: x * x,
        "exp": lambda x: x.exp(),
        "deep": lambda x: ((x * x).sin() * x).sum(),
        "list": lambda x: ow.cat([x, x * x]).sin(),
        "view": lambda x: (x.view(1, 2) * 2)[0].exp() * x,
        "write": lambda x: (x * 2).mul_(x.exp()),
    }
    return graphs | {make.__name__[1:]: make(ow).apply for make in FUNCTIONS}


GRAPHS = ("mul", "exp", "deep", "list", "view", "write", *(f.__name__[1:] for f in FUNCTIONS))


def _hook_of_the_leaf(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    y = graph(x)
    x.register_hook(lambda gradient: (y, kept))


def _hook_of_the_leaf_watched(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    x.kept = kept
    y = graph(x)
    x.register_hook(lambda gradient: y)


def _post_accumulate_hook(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    y = graph(x)
    x.register_post_accumulate_grad_hook(lambda leaf: (y, kept))


def _hook_between(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    middle = x * 3
    y = graph(middle)
    middle.register_hook(lambda gradient: (y, kept))


def _hook_of_a_node(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    y = graph(x)
    y.grad_fn.register_hook(lambda inputs, outputs: (y, kept))


def _attribute_of_the_leaf(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    x.y = graph(x)
    x.kept = kept


def _attribute_between(ow, graph, kept):
    middle = ow.ones(2, requires_grad=True) * 3
    middle.y = graph(middle)
    middle.kept = kept


def _attribute_of_the_gradient(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    y = graph(x).sum()
    y.backward(retain_graph=True)
    x.grad.all = [y, kept]


def _attribute_of_a_retained_gradient(ow, graph, kept):
    x = ow.ones(2, requires_grad=True)
    y = graph(x)
    y.retain_grad()
    y.sum().backward()
    y.grad.all = [y, kept]


def _context_and_result(ow, graph, kept):
    y = graph(ow.ones(2, requires_grad=True))
    node = y.grad_fn
    state = node.metadata if hasattr(node, "metadata") else vars(node)
    state["y"] = [y, kept]


CYCLES = (
    *(_hook_of_the_leaf, _hook_of_the_leaf_watched, _post_accumulate_hook, _hook_between),
    *(_hook_of_a_node, _attribute_of_the_leaf, _attribute_between, _attribute_of_the_gradient),
    *(_attribute_of_a_retained_gradient, _context_and_result),
)


def _is_freed(make):
    kept = _Kept()
    reference = weakref.ref(kept)
    make(kept)
    del kept
    gc.collect()
    return reference() is None


# A tensor that nothing but its Python object keeps shows the collector what it has itself; it does
# not know that the context is alone in keeping the object.
NOT_SEEN = {
    ("_hook_between", "has_input"),
    ("_hook_between", "has_inputs"),
    ("_attribute_of_the_gradient", "has_result"),
}


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("cycle", CYCLES, ids=lambda cycle: cycle.__name__[1:])
def test_a_cycle_through_a_graph_is_collected(ow, cycle, graph):
    if (cycle.__name__, graph) in NOT_SEEN:
        pytest.skip("the context keeps the tensor's object, the object alone the tensor")
    assert _is_freed(lambda kept: cycle(ow, _graphs(ow)[graph], kept))


def _hook_of_a_parameter(ow, module, kept):
    x = ow.ones(2, 2)
    module.weight.register_hook(lambda gradient: (module(x), kept))
    module(x)


def _hook_with_the_result(ow, module, kept):
    y = module(ow.ones(2, 2))
    module.weight.register_hook(lambda gradient: (y, kept))


def _result_in_the_module(ow, module, kept):
    module.result = module(ow.ones(2, 2, requires_grad=True))
    module.kept = kept


def _gradient_in_the_module(ow, module, kept):
    module(ow.ones(2, 2)).sum().backward()
    module.weight.grad.all = [module, kept]


MODULE_CYCLES = (
    *(_hook_of_a_parameter, _hook_with_the_result, _result_in_the_module, _gradient_in_the_module),
)


@pytest.mark.parametrize("cycle", MODULE_CYCLES, ids=lambda cycle: cycle.__name__[1:])
def test_a_cycle_through_a_module_is_collected(ow, cycle):
    assert _is_freed(lambda kept: cycle(ow, ow.nn.Linear(2, 2), kept))


# --- what somebody else needs stays ----------------------------------------------------------------


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("holder", ["result", "leaf", "node", "gradient"])
def test_what_is_reached_from_outside_stays(ow, graph, holder):
    kept = _Kept()
    reference = weakref.ref(kept)
    x = ow.ones(2, requires_grad=True)
    y = _graphs(ow)[graph](x)
    x.y = y
    handle = x.register_hook(lambda gradient, kept=kept: None)
    y.grad_fn.register_hook(lambda inputs, outputs, y=y: None)
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    holders = {"result": y, "leaf": x, "node": y.grad_fn, "gradient": x.grad}
    outside = holders[holder]
    if holder == "gradient":
        outside.x = x
    del x, y, kept, holders, handle
    for _ in range(3):
        gc.collect()
    if holder != "node":
        assert reference() is not None
    if holder in ("leaf", "gradient"):
        leaf = outside if holder == "leaf" else outside.x
        leaf.y.sum().backward()
        assert leaf.y.grad is not None
    elif holder == "result":
        outside.sum().backward()
    else:
        assert outside.name()
    if holder == "gradient":
        del (
            outside.x
        )  # the object of x keeps x, and its gradient's object that: two owners, not seen
    outside = leaf = None
    gc.collect()
    assert reference() is None


def test_a_running_backward_pass_keeps_its_graph(ow):
    kept = []

    def run():
        x = ow.ones(2, requires_grad=True)
        middle = x * x
        y = middle.exp().sum()
        x.kept = middle
        x.register_hook(lambda gradient: kept.append((gc.collect(), x.kept)))
        middle.register_hook(lambda gradient: kept.append((gc.collect(), y)))
        return y

    y = run()
    y.backward()
    assert [type(value) for _, value in kept] == [ow.Tensor] * 2
    assert [value.shape for _, value in kept] == [(), (2,)]


def test_backward_that_records_says_that_gradients_refer_to_their_leaves(ow):
    """They do so in C++, where no collector of Python sees it."""
    program = """
import opweave, warnings
warnings.simplefilter("always")
x = opweave.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    for _ in range(2):
        (x * x).sum().backward(create_graph=True)
    opweave.autograd.grad((x * x).sum(), x, create_graph=True)
print(*[(w.category.__name__, str(w.message), w.filename) for w in caught])
"""
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert found.stderr == ""
    category, text, place = ast.literal_eval(found.stdout)
    assert (category, place) == ("UserWarning", "<string>")
    assert text.startswith(
        "Using backward() with create_graph=True will create a reference cycle between the parameter "
        "and its gradient which can cause a memory leak. We recommend using autograd.grad"
    )
