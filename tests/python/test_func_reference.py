"""vmap of every case of the reference tables against a loop over the examples."""

from dataclasses import replace

import pytest
from reference import runner, table
from reference.samples import build
from support import under_test
from support.compare import differences

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


def _cases():
    for name in TABLES:
        for case in table.load(name).values():
            if case.inputs and case.values and not case.raises and "float64" in case.dtypes:
                yield pytest.param(case, id=case.id)


def _examples(ow, case):
    """Inputs of each example: of one kind, with different values."""
    return [
        {name: build(ow, sample, f"{name} {i}", "float64") for name, sample in case.inputs.items()}
        for i in range(EXAMPLES)
    ]


def _tensors(ow, value):
    if isinstance(value, ow.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(ow, v)]
    return []


def _differentiable(ow, case, inputs):
    return {
        name: x
        for name, x in inputs.items()
        if x.dtype.is_floating_point and case.inputs[name].grad
    }


def _total(ow, tensors):
    """A number that depends on every element of all answers, on each with another weight."""
    total = 0
    for i, t in enumerate(tensors):
        if t.dtype == ow.float64:
            weights = ow.arange(1, t.numel() + 1, dtype=ow.float64) / (i + 1)
            total = total + (t.reshape(-1) * weights).sum()
    return total


def _gradient_cases():
    for parameter in _cases():
        case = parameter.values[0]
        if case.grad and any(s.grad for s in case.inputs.values()):
            yield parameter


@pytest.mark.parametrize("case", _gradient_cases())
def test_vmap_of_grad(case):
    ow = under_test()
    examples = _examples(ow, case)
    names = list(_differentiable(ow, case, examples[0]))

    def value(leaves, inputs):
        scope = runner._namespace(ow, "float64")
        return _total(ow, _tensors(ow, runner.execute(case.code, {**scope, **inputs, **leaves})))

    def gradient(inputs):
        return ow.func.grad(value)({n: inputs[n] for n in names}, inputs)

    try:
        want = [gradient(e) for e in examples]
    except (RuntimeError, TypeError):
        pytest.skip("the case has no gradient")
    finally:
        runner.restore(ow)
    batch = {name: ow.stack([e[name] for e in _examples(ow, case)]) for name in case.inputs}
    try:
        got = ow.func.vmap(gradient)(batch)
    except RuntimeError as error:
        if not any(words in str(error) for words in _REFUSED):
            raise
        pytest.skip(f"refused: {error}")
    finally:
        runner.restore(ow)
    plain = replace(case, view=False)
    for i, answers in enumerate(want):
        for name in names:
            found = differences(
                runner.encode(ow, got[name][i], plain, {}),
                runner.encode(ow, answers[name], plain, {}),
                10 * case.tol,
                summed=True,
            )
            assert not found, "\n".join([case.code.strip(), f"example {i}, {name}", *found])


def _cotangents(ow, output, i):
    values = ow.arange(output.numel(), dtype=ow.float64).reshape(output.shape)
    return ow.sin(values + i)


@pytest.mark.parametrize("case", _gradient_cases())
def test_vmap_of_cotangents(case):
    """A batch of backward passes through one forward pass, as jacrev() does it."""
    ow = under_test()
    inputs = _examples(ow, case)[0]
    leaves = _differentiable(ow, case, inputs)

    def outputs(leaves):
        scope = runner._namespace(ow, "float64")
        found = _tensors(ow, runner.execute(case.code, {**scope, **inputs, **leaves}))
        return [t for t in found if t.dtype == ow.float64]

    try:
        value, pull = ow.func.vjp(outputs, leaves)
        seeds = [[_cotangents(ow, v, i) for v in value] for i in range(EXAMPLES)]
        want = [pull(s) for s in seeds]
    except (RuntimeError, TypeError):
        pytest.skip("the case has no gradient")
    finally:
        runner.restore(ow)
    if not value:
        pytest.skip("the case has no gradient")
    try:
        got = ow.func.vmap(pull)([ow.stack(list(s)) for s in zip(*seeds)])
    except RuntimeError as error:
        if not any(words in str(error) for words in _REFUSED):
            raise
        pytest.skip(f"refused: {error}")
    plain = replace(case, view=False)
    for i, answers in enumerate(want):
        for name in leaves:
            found = differences(
                runner.encode(ow, got[name][i], plain, {}),
                runner.encode(ow, answers[name], plain, {}),
                10 * case.tol,
                summed=True,
            )
            assert not found, "\n".join([case.code.strip(), f"example {i}, {name}", *found])


@pytest.mark.parametrize("case", _cases())
def test_vmap(case):
    ow = under_test()

    def run(inputs):
        scope = runner._namespace(ow, "float64")
        return _tensors(ow, runner.execute(case.code, {**scope, **inputs}))

    plain = replace(case, view=False)  # where the answer lies in memory is another matter
    want = [run(inputs) for inputs in _examples(ow, case)]
    if not want[0]:
        pytest.skip("the case has no tensor for an answer")
    examples = _examples(ow, case)
    batch = {name: ow.stack([e[name] for e in examples]) for name in case.inputs}
    try:
        got = ow.func.vmap(run)(batch)
    except RuntimeError as error:
        if not any(words in str(error) for words in _REFUSED):
            raise
        pytest.skip(f"refused: {error}")
    finally:
        runner.restore(ow)
    for i, answers in enumerate(want):
        for g, w in zip(got, answers, strict=True):
            found = differences(
                runner.encode(ow, g[i].detach(), plain, {}),
                runner.encode(ow, w.detach(), plain, {}),
                case.tol,
                summed=True,
            )
            assert not found, "\n".join([case.code.strip(), f"example {i}", *found])
