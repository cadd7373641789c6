"""What writes to tensors behind the back of autograd is refused inside of a derivative, where its part
would be missing in silence."""

import opweave as ow
import opweave.autograd.forward_ad as forward
import pytest
from opweave.func import grad, jvp, vjp


def exchanged(x):
    y = ow.ones_like(x)
    y.data = x * 3
    return y.sum()


def lost(x):
    y = x * 2
    y.data = ow.ones(2)
    return y.sum()


def looked_at(x):
    return ow.ones(2).set_(x * 3).sum()


def looks_away(x):
    return (x * 3).set_(ow.ones(2)).sum()


def called(x):
    return (x * 3).apply_(lambda v: 2 * v).sum()


def called_with_another(x):
    return ow.ones(2).map_(x, lambda a, b: a * b).sum()


def called_with_others(x):
    return ow.ones(2).map2_(ow.ones(2), x, lambda a, b, c: a * b * c).sum()


def swapped(x):
    y, z = x * 3, ow.ones(2)
    ow.utils.swap_tensors(z, y)
    return z.sum()


def seen_otherwise(x):
    return (x * 3).as_strided_((1,), (1,)).sum()


WRITERS = [
    (exchanged, "mutating directly with `.data`"),
    (lost, "mutating directly with `.data`"),
    (looked_at, r"derivative for set_ is|set_\(\) has no derivative"),
    (looks_away, r"derivative for set_ is|set_\(\) has no derivative"),
    (called, r"Can't call apply_\(\)"),
    (called_with_another, r"Can't call map_\(\)"),
    (called_with_others, r"Can't call map2_\(\)"),
    (swapped, "Cannot swap t2 because it has a"),
    (seen_otherwise, "derivative for as_strided_"),
]


@pytest.mark.parametrize(("function", "match"), WRITERS)
def test_transforms_refuse_it(function, match):
    x, direction = ow.tensor([1.0, 2.0]), ow.ones(2)
    for differentiate in (
        grad(function),
        lambda v: vjp(function, v)[1](ow.tensor(1.0)),
        lambda v: jvp(function, (v,), (direction,)),
    ):
        with pytest.raises((RuntimeError, NotImplementedError), match=match):
            differentiate(x)


@pytest.mark.parametrize(("function", "match"), WRITERS[2:])
def test_what_has_a_tangent_is_refused(function, match):
    with forward.dual_level():
        x = forward.make_dual(ow.tensor([1.0, 2.0]), ow.ones(2))
        with pytest.raises((RuntimeError, NotImplementedError), match=match):
            function(x)


def test_data_may_be_set_outside():
    y = ow.ones(2, requires_grad=True)
    y.data = ow.zeros(2)
    assert y.tolist() == [0, 0]
    with forward.dual_level():
        x = forward.make_dual(ow.tensor([1.0, 2.0]), ow.ones(2))
        x.data = ow.zeros(2)
        assert forward.unpack_dual(x).tangent.tolist() == [1, 1]
        with pytest.raises(RuntimeError, match=r"must have its sizes, \[2\], but got \[3\]"):
            x.data = ow.zeros(3)
