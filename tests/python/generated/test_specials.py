"""Pointwise operators at special points (tests/reference/specials.py): values and derivatives are PyTorch's,
and forward derivatives those of the backward pass."""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
from broken import overload
from cases import CASES
from reference.specials import Specials, close
from special_exceptions import TABLES, is_listed

ANSWERS = json.loads((Path(reference.__file__).parent / "data/specials.json").read_text())


def specials_of(case):
    def run(values):
        positional, keywords = calls.split(case.operator, values)
        return overload(case.operator)(*positional, **keywords)

    return Specials(ow, calls, case.sample, run)


def by_key():
    """{key: case}: calls that differ in the elements of their tensors alone are one."""
    found = {}
    for case in CASES:
        found.setdefault(f"{case.operator.full_name}({specials_of(case).key})", case)
    return found


CASE = by_key()


def counts(kind, answer, gradient):
    """Whether PyTorch has one answer. Its second derivatives are composed of others, which are infinite where
    the whole has a limit: a NaN says nothing."""
    if answer is None or gradient is None:
        return False
    return kind != "second" or answer == answer


def differences(key):
    """(kind, argument and point, our answer, PyTorch's) of each that differs."""
    specials, recorded = specials_of(CASE[key]), ANSWERS[key]
    points = specials.points()
    for kind, by_name in specials.answers(points).items():
        for name, found in by_name.items():
            answers = recorded[kind][name] if kind in recorded else [None] * len(points)
            gradients = recorded["gradient"].get(name, answers)
            rows = zip(points, found, answers, gradients, strict=True)
            for point, ours, answer, gradient in rows:
                if counts(kind, answer, gradient) and not close(answer, ours):
                    yield f"{kind} {name} at {point}", ours, answer


@pytest.mark.parametrize("key", ANSWERS)
def test_specials(key):
    name = CASE[key].operator.full_name
    wrong = [
        f"{what} is {ours}, and {answer} by PyTorch"
        for what, ours, answer in differences(key)
        if not any(is_listed(what, table.get(name, ())) for table in TABLES)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("key", ANSWERS)
def test_forward(key):
    specials = specials_of(CASE[key])
    points = specials.points()
    found = specials.answers(points, ("gradient", "forward"))
    for name, tangents in found["forward"].items():
        rows = zip(points, tangents, found["gradient"][name], strict=True)
        assert [r for r in rows if not close(r[1], r[2])] == [], f"by {name}"


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - set(CASE) == set(), "record.py specials writes it anew"


def test_every_exception_is_needed():
    listed = {(name, what) for table in TABLES for name, each in table.items() for what in each}
    names = {name for name, _ in listed}
    found = {
        (CASE[key].operator.full_name, what)
        for key in ANSWERS
        if CASE[key].operator.full_name in names
        for what, *_ in differences(key)
    }
    idle = [
        (name, pattern)
        for name, pattern in listed
        if not any(n == name and is_listed(what, [pattern]) for n, what in found)
    ]
    assert not idle
