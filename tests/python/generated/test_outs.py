"""Calls with an `out` of each dtype (tests/reference/outs.py): taken where PyTorch takes them, and only
there."""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
from cases import CASES
from out_exceptions import excused
from reference.outs import Outs

ANSWERS = json.loads((Path(reference.__file__).parent / "data/outs.json").read_text())


def dtypes(answer):
    """The result's dtype, and the set of those that `out` may have."""
    result, _, taken = answer.partition(":")
    return result, set(taken.split())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.key) for c in CASES if c.key in ANSWERS])
def test_outs(case):
    found = Outs(ow, calls, case.operator, case.sample, case.run).answers()
    wrong = []
    for given, answer in ANSWERS[case.key].items():
        if given in found:
            (result, taken), (wanted_result, wanted) = dtypes(found[given]), dtypes(answer)
            differ = {d for d in taken ^ wanted if not excused(case.key, d, d in wanted)}
            if differ or result != wanted_result:
                wrong.append(f"of {given}: {found[given]}, and by PyTorch {answer}")
    assert not wrong, "\n".join(wrong)


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py outs writes it anew"
