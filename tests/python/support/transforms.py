"""Cases of the reference tables as functions, and what transforms of them give against loops."""

import contextlib
from dataclasses import replace

import pytest
from reference import runner, table
from reference.samples import build

from support.compare import differences
from support.reference import recorded

TABLES = ("views", "indexing", "pointwise", "reductions", "linalg", "nn")
EXAMPLES = 3
# What a function under vmap cannot do, as the messages say.
_REFUSED = (
    "the values of this tensor differ",
    "makes a number of a tensor",
    "please provide an explicit positive num_classes",
    "differ in shape between the examples",
    "that is the same for all",
    "called random operation",
    "cannot be changed in place",
    "no memory of its own",  # .data
)


def cases(wanted):
    """Cases in float64 whose record has the wanted answer."""
    return [
        pytest.param(case, id=case.id)
        for name in TABLES
        for case in table.load(name).values()
        if case.inputs and case.values and not case.raises
        if wanted in recorded(name).get(case.id, ())
    ]


def examples(ow, case):
    """Inputs of each example: of one kind, with different values."""
    return [
        {name: build(ow, sample, f"{name} {i}", "float64") for name, sample in case.inputs.items()}
        for i in range(EXAMPLES)
    ]


def batch(ow, case):
    all_inputs = examples(ow, case)
    return {name: ow.stack([inputs[name] for inputs in all_inputs]) for name in case.inputs}


def run(ow, case, inputs):
    scope = runner._namespace(ow, "float64")
    return runner._tensors(ow, runner.execute(case.code, {**scope, **inputs}))


@contextlib.contextmanager
def refusals(ow):
    """Skips what vmap refuses with a message of its own; everything else is an error."""
    try:
        yield
    except RuntimeError as error:
        if not any(words in str(error) for words in _REFUSED):
            raise
        pytest.skip(f"refused: {error}")
    finally:
        runner.restore(ow)


def check(ow, case, got, want, tolerance):
    """`got` has the examples in front, `want` is a list of what each example gives."""
    plain = replace(case, view=False)  # where the answer lies in memory is another matter
    for i, answers in enumerate(want):
        assert len(got) == len(answers)
        for g, w in zip(got, answers):
            one, other = (runner.encode(ow, t.detach(), plain, {}) for t in (g[i], w))
            found = differences(one, other, tolerance * case.tol, summed=True)
            assert not found, "\n".join([case.code.strip(), f"example {i}", *found])


def outputs(ow, case, inputs):
    return [t for t in run(ow, case, inputs) if t.dtype == ow.float64]
