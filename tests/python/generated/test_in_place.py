"""Derivatives of in-place forms, on a copy and through a view, are those of the operators that write
nothing: backwards under vmap, forwards, and one after the other. Hooks of a view that is written belong
to the value that it had, of a tensor that is none to what it becomes part of."""

import opweave as ow
import pytest
from calls import call
from cases import OPERATOR, assert_all_same, cases
from opweave.func import grad, hessian, jacfwd, jacrev, jvp


def _functional(case):
    """The operator that writes nothing: the case's own, which names its in-place form, or that of an
    operator which is called in place alone."""
    return OPERATOR[case.operator.functional] if case.operator.writes else case.operator


def _writes_self(case):
    operator = case.operator
    named = operator.functional if operator.writes else operator.inplace
    if not named or operator.writes not in ([], ["self"]) or _functional(case).views:
        return False
    if not (case.has_values and "self" in case.variable and case.is_differentiable):
        return False
    values = case.values()
    # Nothing is written that broadcasts what it is written to.
    return case.is_finite and without_write(case, values).shape == values["self"].shape


def _write(case, values):
    if case.operator.writes:
        return call(ow, case.operator, values)
    as_method = hasattr(ow.Tensor, case.operator.inplace)
    return call(ow, case.operator, values, name=case.operator.inplace, as_method=as_method)


def on_copy(case, values):
    written = values["self"].clone()
    _write(case, {**values, "self": written})
    return written


def on_view(case, values):
    """A view of a copy, whose elements lie apart: all of the copy."""
    pair = ow.stack([values["self"], values["self"]], -1)
    _write(case, {**values, "self": pair.select(-1, 1)})
    return pair


def without_write(case, values):
    self = values["self"]
    return call(ow, _functional(case), values).to(self.dtype)


def beside_original(case, values):
    return ow.stack([values["self"], without_write(case, values)], -1)


def function_of(case, compute):
    """`compute` as a function of the tensors that have derivatives, and these."""
    values = case.values()
    names = [n for n in case.variable if isinstance(values[n], ow.Tensor)]

    def function(*given):
        return compute(case, {**values, **dict(zip(names, given))})

    return function, tuple(values[n] for n in names)


def _direction(tensor):
    return ow.cos(ow.arange(1, tensor.numel() + 1).double()).reshape(tensor.shape)


def forward_then_backward(f, inputs, every):
    def along(*given):
        tangent = jvp(f, given, tuple(map(_direction, inputs)))[1]
        return (tangent * tangent).sum()

    return grad(along, every)(*inputs)


def second(f, inputs, every):
    def weighted(*given):
        result = f(*given)
        return (result * _direction(result)).sum()

    rows = hessian(weighted, every)(*inputs)
    return [block for row in rows for block in row]


WAYS = {
    "jacrev": lambda f, inputs, every: jacrev(f, every)(*inputs),
    "jacfwd": lambda f, inputs, every: jacfwd(f, every)(*inputs),
    "revfwd": forward_then_backward,
    "hessian": second,
}


def _derivatives(case, compute, way):
    f, inputs = function_of(case, compute)
    return list(WAYS[way](f, inputs, tuple(range(len(inputs)))))


@pytest.mark.parametrize(("case", "way"), cases("in-place", _writes_self, *WAYS))
def test_derivatives(case, way):
    wanted = _derivatives(case, without_write, way)
    assert_all_same(_derivatives(case, on_copy, way), wanted, 1e-9)
    wanted = _derivatives(case, beside_original, way)
    assert_all_same(_derivatives(case, on_view, way), wanted, 1e-9)


def _hooked(case, make):
    """Gradients of "self" through `make`, which returns what is written and what is summed, whose written
    tensor has a hook that multiplies by 10; and without a hook."""
    found = []
    for factor in (1, 10):
        values = case.values()
        leaf = values["self"].detach().requires_grad_()
        written, result = make(leaf * 1)
        written.register_hook(lambda g, factor=factor: g * factor)
        _write(case, {**values, "self": written})
        (gradient,) = ow.autograd.grad((result * _direction(result)).sum(), leaf)
        found.append(gradient)
    return found


def _part_of_pair(self):
    pair = ow.stack([self, self], -1)
    return pair.select(-1, 1), pair


@pytest.mark.parametrize("case", cases("in-place hook", _writes_self))
def test_hooks(case):
    without, hooked = _hooked(case, _part_of_pair)
    assert_all_same([hooked], [without], 1e-12)
    without, hooked = _hooked(case, lambda self: (self, self))
    assert_all_same([hooked], [without * 10], 1e-9)


def _writes_a_constant(case):
    others = [n for n in case.variable if n != "self"]
    return _writes_self(case) and any(isinstance(case.values()[n], ow.Tensor) for n in others)


@pytest.mark.parametrize("case", cases("in-place constant", _writes_a_constant))
def test_gradients_of_the_others(case):
    """Where what is written has no gradient: what the others' gradients read of it is kept."""

    def gradients(compute):
        values = case.values()
        names = [n for n in case.variable if n != "self" and isinstance(values[n], ow.Tensor)]
        leaves = {n: values[n].detach().requires_grad_() for n in names}
        result = compute(case, {**values, **leaves})
        seed = _direction(result)
        return list(ow.autograd.grad((result * seed).sum(), [*leaves.values()], allow_unused=True))

    assert_all_same(gradients(on_copy), gradients(without_write), 1e-9)
