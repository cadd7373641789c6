"""What the rules of operators say of results, without running anything, is true of the kernels."""

import opweave as ow
import pytest
from cases import CASES
from operator_table import DATA, Result
from operators import OPERATORS
from results import RESULTS


def _place(case):
    """Which of its operator's calls a case is."""
    return next(i for i, s in enumerate(case.operator.samples) if s is case.sample)


def _said(case):
    """What is said of a case: a list of results, or why there is none."""
    said = RESULTS.get(case.operator.full_name)
    return said if said in (None, DATA) else said[_place(case)]


ANSWERED = [c for c in CASES if isinstance(_said(c), list)]


def _of_kernel(found, said):
    """The same facts of a tensor that a kernel made."""
    if found is None or said is None:
        return found
    strides = None if said.strides is None else tuple(found.stride())
    offset = None if said.offset is None else found.storage_offset()
    return Result(tuple(found.shape), str(found.dtype).split(".")[-1], strides, offset)


@pytest.mark.parametrize("case", ANSWERED, ids=[c.key for c in ANSWERED])
def test_rule(case):
    """Sizes and dtype, and of views strides and the place in memory."""
    found = case.run(case.fresh(case.values()))
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    said = _said(case)
    assert [_of_kernel(f, s) for f, s in zip(found, said, strict=True)] == said


@pytest.mark.parametrize("operator", OPERATORS, ids=[o.full_name for o in OPERATORS])
def test_every_operator_answers(operator):
    """Or its entry says that the elements decide."""
    said = RESULTS.get(operator.full_name, [])
    refusals = [] if said == DATA else [s for s in said if isinstance(s, str) and s != DATA]
    assert not refusals, f"no rule says what '{operator.full_name}' gives: {refusals[0]}"


def test_every_operator_is_asked():
    """Every operator that makes tensors, on each of its calls."""
    makers = [o for o in OPERATORS if o.functional in (None, o.full_name)]
    assert {o.full_name for o in makers if any("Tensor" in r for r in o.returns)} <= set(RESULTS)
    asked = {o.full_name: len(o.samples) for o in OPERATORS}
    assert all(s == DATA or len(s) == asked[name] for name, s in RESULTS.items())


def test_a_wrong_answer_is_noticed():
    """The comparison sees each of the facts."""
    t = ow.arange(6.0).reshape(2, 3)[:, 1:]
    right = Result((2, 2), "float32", (3, 1), 1)
    assert _of_kernel(t, right) == right
    for wrong in (
        Result((2, 3), "float32", (3, 1), 1),
        Result((2, 2), "float64", (3, 1), 1),
        Result((2, 2), "float32", (2, 1), 1),
        Result((2, 2), "float32", (3, 1), 0),
    ):
        assert _of_kernel(t, wrong) != wrong
