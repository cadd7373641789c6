"""vmap of every case of the reference tables, of its gradient, and of its backward pass, each against
a loop over the examples."""

import contextlib
from dataclasses import replace

import pytest
from reference import runner, table
from reference.samples import build
from support import under_test
from support.compare import differences
from support.reference import recorded

TABLES = ("views", "indexing", "pointwise", "reductions", "linalg", "nn")
EXAMPLES = 3
# What a function under vmap cannot do, as the messages say.
_REFUSED = (
    "the values of this tensor differ",
    "makes a number of a tensor",
    "differ in shape between the examples",
    "that is the same for all",
    "called random operation",
    "cannot be changed in place",
    "no memory of its own",  # as_strided() and .data
)


def _cases(wanted):
    """Cases in float64 whose record has the wanted answer."""
    return [
        pytest.param(case, id=case.id)
        for name in TABLES
        for case in table.load(name).values()
        if case.inputs and case.values and not case.raises
        if wanted in recorded(name).get(case.id, ())
    ]


def _examples(ow, case):
    """Inputs of each example: of one kind, with different values."""
    return [
        {name: build(ow, sample, f"{name} {i}", "float64") for name, sample in case.inputs.items()}
        for i in range(EXAMPLES)
    ]


def _batch(ow, case):
    examples = _examples(ow, case)
    return {name: ow.stack([e[name] for e in examples]) for name in case.inputs}


def _run(ow, case, inputs):
    scope = runner._namespace(ow, "float64")
    return runner._tensors(ow, runner.execute(case.code, {**scope, **inputs}))


@contextlib.contextmanager
def _refusals(ow):
    """Skips what vmap refuses with a message of its own; everything else is an error."""
    try:
        yield
    except RuntimeError as error:
        if not any(words in str(error) for words in _REFUSED):
            raise
        pytest.skip(f"refused: {error}")
    finally:
        runner.restore(ow)


def _check(ow, case, got, want, tolerance):
    """`got` has the examples in front, `want` is a list of what each example gives."""
    plain = replace(case, view=False)  # where the answer lies in memory is another matter
    for i, answers in enumerate(want):
        assert len(got) == len(answers)
        for g, w in zip(got, answers):
            one, other = (runner.encode(ow, t.detach(), plain, {}) for t in (g[i], w))
            found = differences(one, other, tolerance * case.tol, summed=True)
            assert not found, "\n".join([case.code.strip(), f"example {i}", *found])


@pytest.mark.parametrize("case", _cases("float64"))
def test_vmap(case):
    ow = under_test()
    want = [_run(ow, case, inputs) for inputs in _examples(ow, case)]
    if not want[0]:
        pytest.skip("the case has no tensor for an answer")
    with _refusals(ow):
        got = ow.func.vmap(lambda inputs: _run(ow, case, inputs))(_batch(ow, case))
    _check(ow, case, got, want, 1)


def _outputs(ow, case, inputs):
    return [t for t in _run(ow, case, inputs) if t.dtype == ow.float64]


def _total(ow, tensors):
    """A number that depends on every element of all answers, on each with another weight."""
    total = 0
    for i, t in enumerate(tensors):
        weights = ow.arange(1, t.numel() + 1, dtype=ow.float64) / (i + 1)
        total = total + (t.reshape(-1) * weights).sum()
    return total


@pytest.mark.parametrize("case", _cases("gradient"))
def test_vmap_of_grad(case):
    ow = under_test()
    names = list(runner._differentiable(_examples(ow, case)[0], case))

    def value(leaves, inputs):
        return _total(ow, _outputs(ow, case, {**inputs, **leaves}))

    def gradient(inputs):
        return list(ow.func.grad(value)({n: inputs[n] for n in names}, inputs).values())

    want = [gradient(inputs) for inputs in _examples(ow, case)]
    runner.restore(ow)
    with _refusals(ow):
        got = ow.func.vmap(gradient)(_batch(ow, case))
    _check(ow, case, got, want, 10)


@pytest.mark.parametrize("case", _cases("gradient"))
def test_vmap_of_cotangents(case):
    """A batch of backward passes through one forward pass, as jacrev() does it."""
    ow = under_test()
    inputs = _examples(ow, case)[0]
    leaves = runner._differentiable(inputs, case)
    value, pull = ow.func.vjp(lambda leaves: _outputs(ow, case, {**inputs, **leaves}), leaves)
    runner.restore(ow)

    def cotangents(i):
        return [ow.sin(ow.arange(v.numel(), dtype=ow.float64).reshape(v.shape) + i) for v in value]

    seeds = [cotangents(i) for i in range(EXAMPLES)]
    want = [list(pull(s).values()) for s in seeds]
    with _refusals(ow):
        got = ow.func.vmap(pull)([ow.stack(list(s)) for s in zip(*seeds)])
    _check(ow, case, list(got.values()), want, 10)
