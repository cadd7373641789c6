"""Sample calls broken in one argument (tests/reference/breaks.py): what PyTorch refuses is refused, and what
it takes gives results of its sizes and dtypes."""

import json
from pathlib import Path

import pytest
import reference
from break_exceptions import excused
from broken import key, outcomes
from cases import CASES

ANSWERS = json.loads((Path(reference.__file__).parent / "data/breaks.json").read_text())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.key) for c in CASES if c.key in ANSWERS])
def test_breaks(case):
    answers = ANSWERS[key(case.operator, case.sample)]
    wrong = []
    for name, (found, text) in outcomes(case.operator, case.sample).items():
        answer = answers.get(name, found)  # none where PyTorch ends the process
        if found != answer and not excused(case.operator, name, answer):
            wrong.append(f"{name} is '{found}', and '{answer}' by PyTorch: {text}")
    assert not wrong, "\n".join(wrong)


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py breaks writes it anew"
