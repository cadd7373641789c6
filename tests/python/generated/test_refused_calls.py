"""How operators refuse broken calls (tests/reference/breaks.py): refusals.txt, of all whose entries
have conditions. Of internal ones, which PyTorch does not check, also what is taken and what it gives.

With OPWEAVE_UPDATE in the environment the file is written (`./dev lock`); its difference is to be read.
"""

import os
from itertools import groupby
from pathlib import Path

import pytest
from broken import key, outcomes
from operators import INTERNAL, OPERATORS
from reference.breaks import REFUSED

# A call with too few observations is none that is refused.
pytestmark = pytest.mark.filterwarnings("ignore:cov\\(\\)")

FILE = Path(__file__).parent / "refusals.txt"
HEADER = """\
# What broken sample calls of operators with conditions are told, and by which breaks: see
# tests/reference/breaks.py. Written by tests/python/generated/test_refused_calls.py (`./dev lock`).
"""
CALLS = [
    pytest.param(operator, sample, id=key(operator, sample))
    for operator in (*OPERATORS, *INTERNAL)
    if operator.requires
    for sample in operator.samples
]


def written(operator, sample):
    """The lines of a call: each text, and below it the breaks that lead to it."""
    breaks = {}
    for name, (found, text) in outcomes(operator, sample).items():
        if found == REFUSED:
            breaks.setdefault(text.replace("\n", "\\n"), []).append(name)
        elif operator in INTERNAL:
            breaks.setdefault(f"gives {found}", []).append(name)
    lines = [key(operator, sample)]
    for text, names in breaks.items():
        lines += [f"  {text}", f"    {'; '.join(names)}"]
    return lines


def read():
    """{call: its lines}."""
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    calls, of = {}, None
    for line in lines:
        if not line.startswith(" "):
            of = calls.setdefault(line, [])
        of.append(line)
    return calls


@pytest.fixture(scope="module", autouse=True)
def update():
    if os.environ.get("OPWEAVE_UPDATE"):
        lines = [line for p in CALLS for line in written(*p.values)]
        FILE.resolve().write_text(HEADER + "".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module")
def known():
    return read()


@pytest.mark.parametrize(("operator", "sample"), CALLS)
def test_refused_calls(operator, sample, known):
    lines = written(operator, sample)
    assert known.get(lines[0]) == lines, "`./dev lock` writes refusals.txt anew"


def test_no_other_calls(known):
    assert set(known) == {p.id for p in CALLS}, "`./dev lock` writes refusals.txt anew"


def test_conditions_refuse(known):
    """Of every operator with conditions some call is refused: it has sample calls."""
    named = {call.partition("(")[0] for call in known}
    assert {o.full_name for o in (*OPERATORS, *INTERNAL) if o.requires and o.samples} == named
    of = groupby(sorted(known), lambda call: call.partition("(")[0])
    silent = [
        name
        for name, calls in of
        if not any("Error: " in line for call in calls for line in known[call])
    ]
    assert not silent
