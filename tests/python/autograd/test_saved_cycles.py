"""Cycles through what autograd has saved are found by the collector of Python."""

import gc
import weakref

import pytest


class _Packed:
    """What a pack hook may return: it keeps a tensor and whatever else."""

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        self.keeps = []


def _hooks(ow, kept):
    """(hooks, what they packed); `kept` is an object to which each packed one refers."""
    made = []

    def pack(tensor):
        packed = _Packed(tensor)
        packed.keeps.append(kept)
        made.append(packed)
        return packed

    return ow.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed.tensor), made


def _packed_by_one_node(ow, kept):
    hooks, made = _hooks(ow, kept)
    with hooks:
        y = ow.ones(2, requires_grad=True).exp()
    made[0].keeps.append(y)


def _packed_inputs_of_a_graph(ow, kept):
    hooks, made = _hooks(ow, kept)
    with hooks:
        y = ow.ones(2, requires_grad=True) * 2.5
        z = (y * y).sin().sum()
    del y
    for packed in made:
        packed.keeps.append(z)


def _packed_lists(ow, kept):
    hooks, made = _hooks(ow, kept)
    with hooks:
        x = ow.ones(2, requires_grad=True)
        y = ow.einsum("i,i->", x, x) + x[ow.tensor([0, 1])].sum()
    for packed in made:
        packed.keeps.append(y)


def _packed_by_a_write_to_a_view(ow, kept):
    hooks, made = _hooks(ow, kept)
    with hooks:
        y = ow.ones(2, requires_grad=True) * 2.5
        y[:1].exp_()
    for packed in made:
        packed.keeps.append(y)


def _unpack_function(ow, kept):
    results = [kept]

    def unpack(tensor):
        results.clear()
        return tensor

    with ow.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        x = ow.ones(2, requires_grad=True)
        results += [x.exp(), x.sin()]


def _node(ow, kept):
    hooks, made = _hooks(ow, kept)
    with hooks:
        made += [ow.ones(2, requires_grad=True).exp().grad_fn]
    made[0].keeps.append(made.pop())


def _metadata(ow, kept):
    node = ow.ones(2, requires_grad=True).exp().grad_fn
    node.metadata["self"] = [node, kept]


def _custom_function(ow, kept):
    class Kept(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    hooks, made = _hooks(ow, kept)
    with hooks:
        y = Kept.apply(ow.ones(2, requires_grad=True))
    made[0].keeps.append(y)


PACKED_CYCLES = (
    *(_packed_by_one_node, _packed_inputs_of_a_graph, _packed_lists, _packed_by_a_write_to_a_view),
    *(_unpack_function, _node, _metadata, _custom_function),
)


@pytest.mark.parametrize("make", PACKED_CYCLES, ids=lambda make: make.__name__)
def test_cycles_through_saved_tensors_are_collected(ow, make):
    kept = _Packed(ow.ones(1))
    reference = weakref.ref(kept)
    make(ow, kept)
    del kept
    gc.collect()
    assert reference() is None


def test_what_is_packed_survives_the_collector_while_it_is_needed(ow):
    hooks, made = _hooks(ow, None)
    x = ow.ones(2, requires_grad=True)
    with hooks:
        y = x.exp()
        z = (y * y).sum()
    node = y.grad_fn
    for packed in made:
        packed.keeps += [y, z]
    references = [weakref.ref(packed) for packed in made]
    del made[:], packed, y, hooks
    gc.collect()
    assert all(reference() is not None for reference in references)
    (grad,) = ow.autograd.grad(z, x)
    assert grad.tolist() == pytest.approx((2 * (2 * ow.ones(2)).exp()).tolist())
    del z
    gc.collect()
    assert (node.name(), [reference() for reference in references]) == (
        "ExpBackward0",
        [None] * len(references),
    )
