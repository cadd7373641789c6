"""Results of arguments in several memory layouts lie as in PyTorch (tests/reference/strides.py)."""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
import stride_exceptions
from cases import CASES
from reference.strides import Strides

ANSWERS = json.loads((Path(reference.__file__).parent / "data/strides.json").read_text())
ASKED = [c for c in CASES if c.key in ANSWERS]


def differences(case):
    found = Strides(ow, calls, case.operator, case.sample, case.run).answers()
    return [
        f"{layout}: strides are {found[layout]}, and {answer} by PyTorch"
        for layout, answer in ANSWERS[case.key].items()
        if layout in found and found[layout] != answer
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.key) for c in ASKED if not stride_exceptions.excused(c.operator)]
)
def test_strides(case):
    wrong = differences(case)
    assert not wrong, "\n".join(wrong)


@pytest.mark.filterwarnings("ignore")
def test_every_exception_is_needed():
    differ = {c.operator.full_name for c in ASKED if differences(c)}
    assert frozenset().union(*stride_exceptions.TABLES) <= differ


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py strides writes it anew"
