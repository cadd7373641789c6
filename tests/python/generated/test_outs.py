"""Calls with an `out` of each dtype (tests/reference/outs.py): taken where PyTorch takes them, and only
there."""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
from cases import CASES
from out_exceptions import NOTHING_COMPUTED, REFUSED_BY_ACCIDENT, excused
from reference.outs import Outs

ANSWERS = json.loads((Path(reference.__file__).parent / "data/outs.json").read_text())


def dtypes(answer):
    """The result's dtype, and the set of those that `out` may have."""
    result, _, taken = answer.partition(":")
    return result, set(taken.split())


def differences(case):
    """(dtype given, our answer, PyTorch's, {dtype of `out`: whether PyTorch takes it} where that differs)."""
    found = Outs(ow, calls, case.operator, case.sample, case.run).answers()
    for given, answer in ANSWERS[case.key].items():
        if given in found:
            taken, wanted = dtypes(found[given])[1], dtypes(answer)[1]
            yield given, found[given], answer, {d: d in wanted for d in taken ^ wanted}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.key) for c in CASES if c.key in ANSWERS])
def test_outs(case):
    wrong = [
        f"of {given}: {found}, and by PyTorch {answer}"
        for given, found, answer, differ in differences(case)
        if dtypes(found)[0] != dtypes(answer)[0]
        or not all(excused(case.key, dtype, taken) for dtype, taken in differ.items())
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.filterwarnings("ignore")
def test_every_exception_is_needed():
    tables = {True: NOTHING_COMPUTED, False: REFUSED_BY_ACCIDENT}
    listed = {
        (key, dtype, taken)
        for taken, table in tables.items()
        for key in table
        for dtype in table[key]
    }
    keys = {key for key, *_ in listed}
    used = {
        (case.key, dtype, taken)
        for case in CASES
        if case.key in keys
        for *_, differ in differences(case)
        for dtype, taken in differ.items()
    }
    assert sorted(listed - used) == []


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py outs writes it anew"
