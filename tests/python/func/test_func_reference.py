"""vmap of every case of the reference tables, of its gradient, and of its backward pass, each against
a loop over the examples."""

import pytest
from reference import runner
from support import under_test
from support.transforms import (
    EXAMPLES,
    batch,
    cases,
    check,
    examples,
    outputs,
    refusals,
    run,
)


@pytest.mark.parametrize("case", cases("float64"))
def test_vmap(case):
    ow = under_test()
    want = [run(ow, case, inputs) for inputs in examples(ow, case)]
    if not want[0]:
        pytest.skip("the case has no tensor for an answer")
    with refusals(ow):
        got = ow.func.vmap(lambda inputs: run(ow, case, inputs))(batch(ow, case))
    check(ow, case, got, want, 1)


def _total(ow, tensors):
    """A number that depends on every element of all answers, on each with another weight."""
    total = 0
    for i, t in enumerate(tensors):
        weights = ow.arange(1, t.numel() + 1, dtype=ow.float64) / (i + 1)
        total = total + (t.reshape(-1) * weights).sum()
    return total


@pytest.mark.parametrize("case", cases("gradient"))
def test_vmap_of_grad(case):
    ow = under_test()
    names = list(runner._differentiable(examples(ow, case)[0], case))

    def value(leaves, inputs):
        return _total(ow, outputs(ow, case, {**inputs, **leaves}))

    def gradient(inputs):
        return list(ow.func.grad(value)({n: inputs[n] for n in names}, inputs).values())

    want = [gradient(inputs) for inputs in examples(ow, case)]
    runner.restore(ow)
    with refusals(ow):
        got = ow.func.vmap(gradient)(batch(ow, case))
    check(ow, case, got, want, 10)


@pytest.mark.parametrize("case", cases("gradient"))
def test_vmap_of_cotangents(case):
    """A batch of backward passes through one forward pass, as jacrev() does it."""
    ow = under_test()
    inputs = examples(ow, case)[0]
    leaves = runner._differentiable(inputs, case)
    value, pull = ow.func.vjp(lambda leaves: outputs(ow, case, {**inputs, **leaves}), leaves)
    runner.restore(ow)

    def cotangents(i):
        return [ow.sin(ow.arange(v.numel(), dtype=ow.float64).reshape(v.shape) + i) for v in value]

    seeds = [cotangents(i) for i in range(EXAMPLES)]
    want = [list(pull(s)[0].values()) for s in seeds]
    with refusals(ow):
        (got,) = ow.func.vmap(pull)([ow.stack(list(s)) for s in zip(*seeds)])
    check(ow, case, list(got.values()), want, 10)
