"""Calls at the edge of what operators take (tests/reference/edges.py), as PyTorch takes and refuses them.

Numbers without a place in a dtype; `out` expanded and overlapping; None in lists.
"""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
from cases import CASES
from edge_exceptions import LISTED, reason
from reference.edges import Edges

ANSWERS = json.loads((Path(reference.__file__).parent / "data/edges.json").read_text())


def differences(case):
    """(edge, what it gives here, PyTorch's answer) of each call that differs."""
    edges = Edges(ow, calls, case.operator, case.sample, case.run)
    found = edges.outcomes(lambda: ow.manual_seed(7))
    return [
        (name, found[name], answer)
        for name, answer in ANSWERS[case.key].items()
        if name in found and found[name] != answer
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.key) for c in CASES if c.key in ANSWERS])
def test_edges(case):
    wrong = [
        f"{name} is {outcome}, and {answer} by PyTorch"
        for name, outcome, answer in differences(case)
        if not reason(case.operator, name, answer)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.filterwarnings("ignore")
def test_every_exception_is_needed():
    listed = {(table, name) for table, names in LISTED.items() for name in names}
    names = frozenset().union(*LISTED.values())
    used = {
        (reason(case.operator, edge, answer), case.operator.full_name)
        for case in CASES
        if case.key in ANSWERS and case.operator.full_name in names
        for edge, _, answer in differences(case)
    }
    assert sorted(listed - used) == []


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py edges writes it anew"
