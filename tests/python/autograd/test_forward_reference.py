"""Forward-mode derivatives of every case of the reference tables: against two backward passes, against
finite differences, batched against a loop, and differentiated backwards."""

import pytest
from reference import runner
from support import under_test
from support.transforms import EXAMPLES, cases, check, examples, outputs, refusals

STEP = 1e-6
# Whose gradient leaves out a row on purpose.
_NOT_TRANSPOSED = ("padding_idx",)
# Whose derivative is not that of their values: they detach, or step from one float32 to the next.
_ROUNDED = (".float()", ".half()")
_STEPPED = (".detach()", "v = v.clone()", *_ROUNDED)


def _direction(ow, leaf, k):
    numbers = ow.arange(leaf.numel(), dtype=ow.float64).reshape(leaf.shape)
    return ow.sin(numbers + k)


def _problem(ow, case):
    """The case as a function of its differentiable inputs, those, and a direction."""
    inputs = examples(ow, case)[0]
    leaves = {n: t.detach() for n, t in runner._differentiable(inputs, case).items()}

    def function(given):
        # Cases may write to their inputs: not to those that are used again.
        own = {name: t.clone() for name, t in given.items()}
        return outputs(ow, case, {**inputs, **own})

    return function, leaves, {n: _direction(ow, t, k) for k, (n, t) in enumerate(leaves.items())}


def _by_two_backward_passes(ow, function, leaves, direction):
    """u -> u J is linear in u: its own backward pass multiplies with J from the right."""
    value, pull = ow.func.vjp(function, leaves)
    _, push = ow.func.vjp(pull, [ow.zeros_like(v) for v in value])
    (pushed,) = push((direction,))
    return pushed


def _cases_without(words):
    return [p for p in cases("gradient") if not any(w in p.values[0].code for w in words)]


@pytest.mark.parametrize("case", _cases_without(_NOT_TRANSPOSED))
def test_jvp_against_two_backward_passes(case):
    ow = under_test()
    function, leaves, direction = _problem(ow, case)
    with refusals(ow):
        value, got = ow.func.jvp(function, (leaves,), (direction,))
        check(ow, case, [ow.stack([v]) for v in value], [function(leaves)], 1)
        runner.restore(ow)
        want = _by_two_backward_passes(ow, function, leaves, direction)
        # What has a first derivative and no second, as a norm at zero, is left to the test by one pass.
        want = [ow.where(ow.isfinite(w), w, g) for w, g in zip(want, got)]
    check(ow, case, [ow.stack([g]) for g in got], [want], 10)


@pytest.mark.parametrize("case", _cases_without((*_NOT_TRANSPOSED, *_ROUNDED)))
def test_jvp_against_vjp(case):
    """u . (J v) is (u J) . v, by one backward pass."""
    ow = under_test()
    function, leaves, direction = _problem(ow, case)
    with refusals(ow):
        value, tangent = ow.func.jvp(function, (leaves,), (direction,))
        runner.restore(ow)
        _, pull = ow.func.vjp(function, leaves)
        if not all(ow.isfinite(v).all() for v in value):
            pytest.skip("a value that is none, as a mean of nothing, has no derivative")
        seeds = [_direction(ow, t, 0.5) for t in tangent]
        (gradient,) = pull(seeds)
    one = sum((t * s).sum() for t, s in zip(tangent, seeds))
    other = sum((gradient[n] * direction[n]).sum() for n in leaves)
    assert ow.allclose(ow.as_tensor(one), ow.as_tensor(other), rtol=1e-8, atol=1e-8, equal_nan=True)


@pytest.mark.parametrize("case", _cases_without(_STEPPED))
def test_jvp_against_finite_differences(case):
    ow = under_test()
    function, leaves, direction = _problem(ow, case)

    def at(step):
        runner.restore(ow)
        return function({n: t + step * direction[n] for n, t in leaves.items()})

    with refusals(ow):
        middle, got = ow.func.jvp(function, (leaves,), (direction,))
        below, above = at(-STEP), at(STEP)
    for m, g, b, a in zip(middle, got, below, above):
        left, right = (m - b) / STEP, (a - m) / STEP
        # At a kink there is no derivative; the reference decides there.
        smooth = ((left - right).abs() <= 1e-3 * (1 + left.abs())) & ow.isfinite(left)
        error = (g - (left + right) / 2).abs()
        bad = smooth & (error > 2e-4 * (1 + g.abs()))
        assert not bad.any(), f"{case.code}\n{g}\n{(left + right) / 2}"


@pytest.mark.parametrize("case", cases("gradient"))
def test_vmap_of_jvp(case):
    """A batch of directions, as jacfwd() does it."""
    ow = under_test()
    function, leaves, _ = _problem(ow, case)
    directions = [
        {n: _direction(ow, t, i + 2 * k) for k, (n, t) in enumerate(leaves.items())}
        for i in range(EXAMPLES)
    ]

    def pushed(direction):
        return ow.func.jvp(function, (leaves,), (direction,))[1]

    with refusals(ow):
        want = [pushed(d) for d in directions]
        runner.restore(ow)
        got = ow.func.vmap(pushed)({n: ow.stack([d[n] for d in directions]) for n in leaves})
    check(ow, case, got, want, 10)


@pytest.mark.parametrize("case", cases("gradient"))
def test_jvp_of_grad_against_grad_of_grad(case):
    """Forward over reverse: a product with the Hessian, which is symmetric."""
    ow = under_test()
    function, leaves, direction = _problem(ow, case)

    def total(given):
        return sum(
            (t.sin() * ow.cos(ow.arange(t.numel()) + 1.0).reshape(t.shape)).sum()
            for t in function(given)
        )

    def along(given):
        gradient = ow.func.grad(total)(given)
        return sum((gradient[n] * direction[n]).sum() for n in gradient)

    with refusals(ow):
        want = ow.func.grad(along)(leaves)
        runner.restore(ow)
        _, got = ow.func.jvp(ow.func.grad(total), (leaves,), (direction,))
    check(ow, case, [ow.stack([g]) for g in got.values()], [list(want.values())], 100)
