"""Every overload called by its own name does what the Python function does, which may take another: Python
passes numbers to the overloads for tensors, so that those for numbers are otherwise left to C++."""

import opweave as ow
import pytest
from calls import mapped, results, split, tensors
from cases import assert_all_same, cases


def _overload(case):
    name, _, overload = case.operator.full_name.partition(".")
    return getattr(getattr(ow.ops, name), overload)


def _call(case, values):
    positional, keywords = split(case.operator, values)
    return results(ow, _overload(case)(*positional, **keywords))


def _has_own_name(case):
    return "." in case.operator.full_name and case.has_values and not case.operator.writes


@pytest.mark.parametrize("case", cases("overload", _has_own_name))
def test_value(case):
    values = case.values()
    assert_all_same(_call(case, values), case.results(values))


@pytest.mark.parametrize(
    "case", cases("overload-gradient", lambda c: _has_own_name(c) and c.is_differentiable)
)
def test_gradient(case):
    def gradients(run):
        leaves = {
            n: mapped(ow, lambda t: t.clone().requires_grad_(), v) for n, v in variable.items()
        }
        found = case.smooth(run({**case.values(), **leaves}))
        # Unequal weights: a gradient that leaves out the incoming one is seen.
        weighted = [(r * (ow.arange(r.numel()).reshape(r.shape) + 2)).sum() for r in found]
        total = sum(weighted[1:], weighted[0])
        return ow.autograd.grad(total, tensors(ow, leaves), allow_unused=True)

    variable = {name: case.values()[name] for name in case.variable}
    for own, usual in zip(gradients(lambda v: _call(case, v)), gradients(case.results)):
        assert (own is None) == (usual is None)
        if own is not None:
            assert_all_same([own], [usual])
