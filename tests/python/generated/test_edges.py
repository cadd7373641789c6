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
from edge_exceptions import excused
from reference.edges import Edges

ANSWERS = json.loads((Path(reference.__file__).parent / "data/edges.json").read_text())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.key) for c in CASES if c.key in ANSWERS])
def test_edges(case):
    edges = Edges(ow, calls, case.operator, case.sample, case.run)
    found = edges.outcomes(lambda: ow.manual_seed(7))
    wrong = {
        name: f"is {found[name]}, and {answer} by PyTorch"
        for name, answer in ANSWERS[case.key].items()
        if name in found and found[name] != answer and not excused(case.operator, name, answer)
    }
    assert not wrong, "\n".join(f"{name} {what}" for name, what in wrong.items())


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - {c.key for c in CASES} == set(), "record.py edges writes it anew"
