"""A mutation run over a program of three mutants that the test itself plays."""

import json
import sys
from dataclasses import replace

import pytest
from campaign import CRASHED, TIMED_OUT, Campaign, ranked
from mutants import Mutant, load
from report import Result

PROGRAM = """
import os, time

active, seen = 0, set()

def mutant(number):
    seen.add(number)
    return active == number

def scale(x):
    if mutant(4): os.abort()
    if mutant(5): time.sleep(60)
    return x if mutant(1) else 2 * x

def shift(x):
    return x - 0 if mutant(2) else x + 0

def never(x):
    return mutant(3)
"""

TESTS = """
import program

def test_scale_slowly():
    assert program.scale(3) == 6

def test_shift():
    assert program.shift(3) == 3

def test_broken():
    assert program.scale(0) == 1
"""


class FakeSwitch:
    def __init__(self, program):
        self.program = program

    def activate(self, number):
        self.program.active = number

    def forget(self):
        self.program.seen.clear()

    def reached(self):
        return set(self.program.seen)


def mutant(number, operator="scale", change="a -> b"):
    return Mutant(number, operator, "expr", "ops.yaml", number, 1, change)


MUTANTS = [
    mutant(1),
    mutant(2, "shift.Scalar", "x + 0 -> x - 0"),
    mutant(3, "never"),
    mutant(4),
    mutant(5),
]


@pytest.fixture(name="campaign", scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "test_program.py").write_text(TESTS)
    (folder / "test_unread.py").write_text("import nothing_of_that_name")
    sys.path.insert(0, str(folder))
    import program

    campaign = Campaign(
        MUTANTS,
        FakeSwitch(program),
        tests_per_mutant=10,
        seconds_per_mutant=1,
        workers=2,
        say=lambda text: None,
    )
    options = ["-p", "no:cacheprovider", "-p", "no:terminal", "-c", "/dev/null"]
    pytest.main([*options, "--rootdir", str(folder), str(folder)], plugins=[campaign])
    sys.path.remove(str(folder))
    return campaign


def test_each_mutant_meets_its_fate(campaign):
    test = "test_program.py::test_scale_slowly"
    assert campaign.noticed_by == {1: test, 4: CRASHED, 5: TIMED_OUT}
    assert campaign.reached == {1, 2, 4, 5}
    assert campaign.broken == [
        "test_unread.py (cannot be collected)",
        "test_program.py::test_broken",
    ]


def test_report_takes_out_what_is_equivalent(campaign):
    reasons = {("shift.Scalar", "expr", "x + 0 -> x - 0"): "adds nothing either way"}
    result = Result(campaign.mutants, campaign.noticed_by, campaign.reached, reasons)
    assert result.share == 3 / 4
    assert [m.id for m in result.survivors] == [3]
    assert result.text().splitlines() == [
        f"{'operator':44} mutants noticed equivalent  share",
        f"{'never':44}       1       0          0   0.0%",
        f"{'shift.Scalar':44}       1       0          1   0.0%",
        "1 other operators: all mutants noticed",
        "",
        "Survivors:",
        "  ops.yaml:3: never, expr: a -> b  (no test reaches it)",
        "",
        "5 mutants, 3 noticed (60.0 %), 1 equivalent, 1 survived: 75.0 % of what can be noticed",
    ]
    assert not result.refuted
    fates = {m["id"]: m for m in json.loads(result.as_json())["mutants"]}
    assert fates[2]["explained"] == "adds nothing either way"
    assert fates[3]["reached"] is False


def test_what_is_proved_equal_needs_no_reason(campaign):
    mutants = [replace(m, equal=m.id in (1, 2)) for m in campaign.mutants]
    result = Result(mutants, campaign.noticed_by, campaign.reached, {})
    assert [m.id for m in result.excused] == [2]
    assert [m.id for m in result.survivors] == [3]
    assert not result.refuted, "in float16 even what is equal may be noticed"


def test_what_is_noticed_cannot_be_equivalent(campaign):
    reasons = {("scale", "expr", "a -> b"): "so it was thought"}
    result = Result(campaign.mutants, campaign.noticed_by, campaign.reached, reasons)
    assert [m.id for m in result.refuted] == [1, 4, 5]
    assert "Explained in equivalent.json, but noticed:" in result.text()


def test_equal_changes_of_one_formula_are_numbered(tmp_path):
    fields = {"operator": "f", "where": "expr", "file": "ops.yaml", "line": 1, "column": 1}
    mutants = [
        {"id": i, "change": c, **fields} for i, c in enumerate(["x -> y", "x -> z", "x -> y"])
    ]
    (tmp_path / "mutants.json").write_text(json.dumps(mutants))
    found = [m.change for m in load(tmp_path / "mutants.json")]
    assert found == ["x -> y", "x -> z", "x -> y [2]"]


def test_tests_named_after_the_operator_come_first():
    class Named:
        def __init__(self, name, reached, seconds):
            self.name, self.reached, self.seconds = name, reached, seconds

    tests = [
        Named("quick", {1}, 0.1),
        Named("slow", {1}, 0.2),
        Named("test_add", {1, 2, 3}, 5),
        Named("broad", {1, 2}, 0),
    ]
    assert [t.name for t in ranked(tests, "add_.Tensor", 3)] == ["test_add", "quick", "slow"]
