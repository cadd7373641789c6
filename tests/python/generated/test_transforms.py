"""Transforms where the caller records no gradients, and with dimensions that an argument does not have."""

import opweave as ow
import pytest
from cases import cases


def differentiable(case):
    return case.is_differentiable and case.is_finite


def _sum(found):
    found = found if isinstance(found, tuple) else (found,)
    return sum(
        (r.sum() for r in found if r.dtype.is_floating_point), ow.zeros((), dtype=ow.float64)
    )


@pytest.mark.parametrize("case", cases("no_grad", differentiable))
def test_gradients_are_the_same_without_recording(case):
    """And are cut off: nobody can differentiate them by accident."""
    function, inputs = case.as_function()
    gradient = ow.func.grad(lambda *x: _sum(function(*x)), tuple(range(len(inputs))))
    wanted = gradient(*inputs)
    with ow.no_grad():
        found = gradient(*[x.requires_grad_() for x in inputs])
    assert not any(g.requires_grad for g in found)
    ow.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize("case", cases("in_dims", differentiable))
def test_dimensions_that_are_not_there_are_refused(case):
    function, inputs = case.as_function()
    rank = inputs[0].dim()
    for dim in (rank, -rank - 1):
        with pytest.raises(ValueError, match=f"Got in_dim={dim} for some input, but that input"):
            ow.func.vmap(function, (dim, *[None] * (len(inputs) - 1)))(*inputs)
    with pytest.raises(ValueError, match="in_dims"):
        ow.func.vmap(function, (0,) * (len(inputs) + 1))(*inputs)


def _takes_tangents(case):
    return differentiable(case) and case.can_be_batched and not case.operator.writes


@pytest.mark.parametrize("case", cases("late_tangent", _takes_tangents))
def test_tangents_of_examples_after_a_write(case):
    """A write gives a tangent to a tensor that had none, and operators look for tangents of views from then
    on: they still see those of the tensors that stand for several examples."""
    function, inputs = case.as_function()

    def tangents(*given):
        def after_a_write(*x):
            ow.zeros_like(x[0]).copy_(x[0])
            return function(*x)

        return ow.func.jvp(after_a_write, tuple(inputs), given)[1]

    each = [tuple(ow.full_like(x, factor) for x in inputs) for factor in (1.0, -0.5)]
    found = ow.func.vmap(tangents)(*(ow.stack(pair) for pair in zip(*each)))
    wanted = [tangents(*given) for given in each]
    several = isinstance(found, tuple)
    stacked = tuple(map(ow.stack, zip(*wanted))) if several else ow.stack(wanted)
    ow.testing.assert_close(found, stacked, equal_nan=True)
