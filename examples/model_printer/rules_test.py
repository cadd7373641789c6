"""What rules of the document say of sample calls is what Opweave's results look like."""

import json
from pathlib import Path

import numpy as np
import pytest
from comparison import opweave_operator, opweave_values
from samples import calls

from rules import Rule, Rules

MODEL = json.loads(Path("examples/model_printer/model.json").read_text(encoding="utf-8"))
RULES = Rules(MODEL)
DESCRIBED = [
    o for o in MODEL["operators"] if {"outputs", "like"} & {*o.get("rule", {})} and o.get("samples")
]
_INFINITE = "its rule does not say that the norm inf keeps whole numbers"
WRONG = {
    "sum_to_size": "its rule does not say that sums of whole numbers are int64",
    "lp_pool1d": _INFINITE,
    "lp_pool2d": _INFINITE,
    "lp_pool3d": _INFINITE,
}
PARAMETERS = [
    pytest.param(
        o,
        id=o["name"],
        marks=[pytest.mark.xfail(reason=WRONG[o["name"]], strict=True)]
        if o["name"] in WRONG
        else [],
    )
    for o in DESCRIBED
]


def look(result):
    return None if result is None else (list(result.shape), str(result.dtype).split(".")[-1])


def run_opweave(operator, values):
    """What each result looks like, or the error."""
    positional, named = opweave_values(operator, values)
    try:
        found = opweave_operator(operator["name"])(*positional, **named)
    except (RuntimeError, TypeError, NotImplementedError, IndexError, ValueError) as error:
        return error
    return [*map(look, found if isinstance(found, (list, tuple)) else [found])]


@pytest.mark.parametrize("operator", PARAMETERS)
def test_results_look_as_rules_say(operator):
    compared = 0
    known = [d for d in ("float32", "float64", "int64", "bool") if d in operator["dtypes"]]
    for dtype in known:
        for values in calls(operator, dtype, known[0]):
            expected = run_opweave(operator, values)
            rule = Rule(RULES, operator, values)
            if isinstance(expected, Exception):
                compared += dtype == known[0] and bool(rule.broken())
                continue
            compared += 1
            assert not rule.broken(), values
            with np.errstate(all="ignore"):
                assert [*map(look, rule.results())] == expected, values
    assert compared, "no call was compared"


def test_most_operators_with_rules_are_compared():
    assert len(DESCRIBED) >= 325
