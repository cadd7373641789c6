"""Tests that compare the module under test with the record of PyTorch's answers."""

import json
import re
from functools import lru_cache
from pathlib import Path

import pytest
from reference import promotion, runner, table

from support import device, is_pytorch, under_test
from support.compare import differences, error_differences
from support.deviations import DEVIATIONS

# What an accelerator without all operators says; what it is promised is tested in kernels/.
_MISSING = re.compile(r"Could not run '([^']+)' on the '[^']+' target: it has no kernel there")
DATA = Path(__file__).parent.parent.parent / "reference" / "data"


@lru_cache
def recorded(name):
    """The record of a table, in which PyTorch's own name is that of the module under test."""
    text = (DATA / f"{name}.json").read_text()
    return json.loads(text.replace("torch.", f"{under_test().__name__}."))


def _fail(case, found):
    samples = ", ".join(f"{k} = {v.label()}" for k, v in case.inputs.items())
    pytest.fail(
        "\n".join([case.code.strip(), f"with {samples}" if samples else "", *found]), pytrace=False
    )


def _attempt(case, function, *arguments):
    try:
        return function(under_test(), case, *arguments, device=device())
    except Exception as error:
        if device() != "cpu" and (missing := _MISSING.match(str(error))):
            pytest.skip(f"the target '{device()}' has no kernel of '{missing[1]}'")
        _fail(case, [f"raised {type(error).__name__}: {error}"])


def _cases(name, wanted):
    """Test parameters: a case and the key of one of its answers, for the keys that are wanted.

    One that is skipped stands for all where the device is missing.
    """
    if device() != "cpu" and not getattr(under_test(), device()).is_available():
        reason = f"there is no {device()} device"
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=reason))]
    answers = recorded(name)
    cases = [c for c in table.load(name).values() if device() == "cpu" or c.runs_anywhere]
    return [
        pytest.param(case, key, id=f"{case.id} {key}", marks=_known_deviation(f"{case.id} {key}"))
        for case in cases
        for key in answers.get(case.id, ())
        if wanted(key)
    ]


def _known_deviation(identifier):
    """Marks an answer that differs from PyTorch's on purpose, so that its end is noticed."""
    reason = None if is_pytorch() else DEVIATIONS.get(identifier)
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []


def _is_derivative(key):
    return key in ("gradient", "second")


def value_test(name):
    """A test of the answers of a table: values, dtypes, shapes, layout, errors."""

    @pytest.mark.parametrize(("case", "dtype"), _cases(name, lambda key: not _is_derivative(key)))
    def test(case, dtype):
        want = recorded(name)[case.id][dtype]
        got = _attempt(case, runner.answer, dtype)
        if case.raises:
            found = error_differences(got, want, "" if is_pytorch() else case.says)
        else:
            found = differences(got["value"], want["value"], case.tol, summed=name != "pointwise")
        if found:
            _fail(case, found)

    return test


def derivative_test(name):
    """A test of the first and second derivatives, in float64."""

    @pytest.mark.parametrize(("case", "order"), _cases(name, _is_derivative))
    def test(case, order):
        want = recorded(name)[case.id][order]
        got = _attempt(case, runner.gradient if order == "gradient" else runner.second_gradient)
        if order == "second":
            got, want = _without_zeros(got), _without_zeros(want)
        found = differences(got, want, 10 * case.tol)
        if found:
            _fail(case, [f"{order}: {d}" for d in found])

    return test


def _without_zeros(grads):
    """A second derivative that is zero may be a tensor of zeros, or none at all."""
    return {n: g for n, g in (grads or {}).items() if g and not all(map(_is_zero, g["values"]))}


def _is_zero(value):
    """Up to what is left where terms of size one cancel; NaN is not zero."""
    return abs(value) < 1e-15


def record_test(*names):
    """A test that the record belongs to the tables: no answer without a case, no case forgotten."""

    @pytest.mark.parametrize("name", names)
    def test(name):
        assert sorted(recorded(name)) == sorted(table.load(name))

    return test


def promotion_test():
    """A test of every answer of the promotion table."""
    questions = promotion.questions()

    @pytest.mark.parametrize(
        "key", [pytest.param(key, id=key, marks=_known_deviation(key)) for key in questions]
    )
    def test(key):
        want = recorded("promotion")[key]
        got = promotion.ask(under_test(), questions[key])
        rows, columns = promotion.labels(key.rpartition(": ")[2])
        found = [
            f"{row} {column}: {promotion.NAME[g]}, expected {promotion.NAME[w]}".strip()
            for row, got_row, want_row in zip(rows, got.split(), want.split(), strict=False)
            for column, g, w in zip(columns, got_row, want_row, strict=False)
            if not promotion.agree(key, g, w)
        ]
        if found:
            pytest.fail("\n".join([questions[key][0], *found]), pytrace=False)

    return test
