"""Every operator in the dtypes that do not promote with all others: what PyTorch takes is taken, with its
result dtypes, and no expression is computed in what PyTorch refuses."""

import json
from pathlib import Path

import opweave as ow
import pytest
import reference
from calls import has_dtype
from cases import CASES, parameter
from numpy_operators import OPERATORS as OURS
from reference.dtypes import COMMON, DTYPES

ANSWERS = json.loads((Path(reference.__file__).parent / "data/outsiders.json").read_text())
OUTSIDERS = [d for d in DTYPES if d not in COMMON]
# What is taken here and not by PyTorch, and why.
TRUTH = "the truth of each operand is read by itself"
MORE = {
    "mul.Scalar": "a number is as good as a tensor of one element",
    "logical_not": TRUTH,
    "logical_and": TRUTH,
    "logical_or": TRUTH,
    "logical_xor": TRUTH,
}


def names(found):
    return [
        str(r.dtype).rpartition(".")[2] if isinstance(r, ow.Tensor) else type(r).__name__
        for r in found
    ]


def recorded():
    return [c for c in CASES if c.key in ANSWERS]


def taken():
    return [parameter(c, (d,), "outsider") for c in recorded() for d in ANSWERS[c.key]]


def can_be_made(case, dtype):
    """Whether the dtype has the numbers of the call: unsigned ones have no negative ones and no NaN."""
    try:
        return bool(case.values(dtype))
    except (OverflowError, RuntimeError, TypeError, ValueError):
        return False


def refused():
    """Calls of expressions; what others are made of may take more than PyTorch's does. Fractions make floats
    of integers here, as everywhere, which PyTorch refuses in single operators."""
    cases = [
        c
        for c in recorded()
        if c.operator.reference is not None
        and not any(isinstance(value, float) for value in c.sample.values())
    ]
    return [
        parameter(c, (d,), "refusal")
        for c in cases
        for d in OUTSIDERS
        if d not in ANSWERS[c.key] and c.operator.full_name not in MORE and can_be_made(c, d)
    ]


def test_the_record_belongs_to_the_calls():
    fixed = {"random", "nondeterministic"}
    ours = {
        c.key
        for c in CASES
        if has_dtype(c.sample)
        and not fixed & set(c.operator.tags)
        and c.operator.full_name not in OURS
    }
    assert ours - set(ANSWERS) == set(), "record.py outsiders writes it anew"


@pytest.mark.parametrize(("case", "dtype"), taken())
def test_what_pytorch_takes(case, dtype):
    public = [i for i in range(9) if i not in case.operator.constant_results]
    wanted = ANSWERS[case.key][dtype]
    found = names(case.results(case.values(dtype)))
    assert len(found) == len(wanted)
    assert [found[i] for i in public if i < len(found)] == [
        wanted[i] for i in public if i < len(wanted)
    ]


@pytest.mark.parametrize(("case", "dtype"), refused())
def test_what_pytorch_refuses(case, dtype):
    values = case.values(dtype)
    with pytest.raises((RuntimeError, TypeError)):
        case.results(values)
