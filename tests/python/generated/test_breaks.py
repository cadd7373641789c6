"""Sample calls broken in one argument (tests/reference/breaks.py): what PyTorch refuses is refused, and what
it takes gives results of its sizes and dtypes."""

import json
from pathlib import Path

import pytest
import reference
from break_exceptions import TABLES, excused, is_listed
from broken import outcomes
from cases import CASES

ANSWERS = json.loads((Path(reference.__file__).parent / "data/breaks.json").read_text())


def differences(case):
    """(break, what it gives here, PyTorch's answer, our text) of each call that differs."""
    answers = ANSWERS[case.key]
    found = outcomes(case.operator, case.sample)
    assert set(found) == set(answers), "record.py breaks writes it anew"
    for name, (outcome, text) in found.items():
        # None where PyTorch ends the process.
        if answers[name] not in (None, outcome):
            yield name, outcome, answers[name], text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.key) for c in CASES if c.key in ANSWERS])
def test_breaks(case):
    wrong = [
        f"{name} is '{outcome}', and '{answer}' by PyTorch: {text}"
        for name, outcome, answer, text in differences(case)
        if not excused(case.operator, name, answer)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py breaks writes it anew"


@pytest.mark.filterwarnings("ignore")
def test_every_exception_is_needed():
    listed = {(name, b) for table in TABLES for name, breaks in table.items() for b in breaks}
    names = {name for name, _ in listed}
    found = {
        (case.operator.full_name, name)
        for case in CASES
        if case.key in ANSWERS and case.operator.full_name in names
        for name, *_ in differences(case)
    }
    idle = [
        (operator, b)
        for operator, b in listed
        if not any(o == operator and is_listed(name, [b]) for o, name in found)
    ]
    assert not idle
