"""Printed kernels against Opweave's: every expression of its operators, in each dtype that C has; their
backward passes; the vocabulary; and documents that lie."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from c_target import Target
from comparison import (
    gradient_differences,
    is_exact,
    tangent_differences,
    value_differences,
)

MODEL = json.loads(Path("examples/model_printer/model.json").read_text(encoding="utf-8"))
PRINTED = [o for o in MODEL["operators"] if o["computes"]["by"] == "expression"]
PASSES = [o for o in PRINTED if "backward" in o["derivative"]]
TANGENTS = [o for o in PASSES if o["derivative"]["forward"]["way"] == "elementwise"]
VOCABULARY = {function["op"]: function for function in MODEL["intrinsics"]}
EXACT = [o for o in PRINTED if is_exact(o, VOCABULARY)]
FUNCTIONS = [f for f in MODEL["intrinsics"] if f["kind"] not in ("bits", "logic")]


def by_name(operators):
    return pytest.mark.parametrize("operator", operators, ids=lambda o: o["name"])


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    return Target(MODEL, tmp_path_factory.mktemp("printed"))


@by_name(PRINTED)
def test_values(target, operator):
    found, compared = value_differences(target, operator)
    assert not found, "\n".join(found)
    assert compared, "no call was compared"


@by_name(EXACT)
def test_values_of_special_numbers(target, operator):
    """Of NaN, infinities and zeros of either sign, the same bits."""
    found, _ = value_differences(target, operator, specials=True)
    assert not found, "\n".join(found)


@by_name(PASSES)
def test_gradients(target, operator):
    found, compared = gradient_differences(target, operator)
    assert not found, "\n".join(found)
    assert compared, "no gradient was compared"


@by_name(TANGENTS)
def test_tangents(target, operator):
    found, compared = tangent_differences(target, operator)
    assert not found, "\n".join(found)
    assert compared, "no tangent was compared"


# Apart from kinks, and from halves, which are rounded to even.
POINTS = {
    "real": [-1.7, -0.6, 0.35, 1.3],
    "positive": [0.2, 0.7, 1.3, 2.6],
    "unit": [-0.8, -0.3, 0.4, 0.7],
    "above_one": [1.1, 1.6, 2.3, 3.4],
}
ORDERS, SECOND = [0.0, 1.0, 2.0, 1.0], [0.8, -1.1, 1.9, 0.45]


def points_of(function):
    if function["op"] == "polygamma":
        return np.array(ORDERS), np.abs(SECOND)
    return np.array(POINTS[function["smooth"]]), np.array(SECOND)


def run_table(target, function, name, *values):
    """A kernel of Printer.table: a tree over x, y and the result."""
    truth = function["result"] == "boolean" and not name.startswith("by_")
    expression = {
        "arguments": [{"read": "elements"}] * 3,
        "result": "boolean" if truth else "compute",
    }
    return target.run_kernel(f"{function['op']}_{name}", expression, "float64", values)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f["op"])
def test_vocabulary(target, function):
    """A function is what its definition says, and changes as its derivatives say."""
    x, y = points_of(function)
    result = run_table(target, function, "itself", x, y, x)
    if "definition" in function:
        same = run_table(target, function, "definition", x, y, x)
        np.testing.assert_allclose(same, result, 1e-12)
    step = 1e-6
    for name, tree, (dx, dy) in zip(
        ("by_x", "by_y"), function["derivatives"], [(step, 0), (0, step)]
    ):
        if tree is None:
            continue
        after, before = (
            run_table(target, function, "itself", x + s * dx, y + s * dy, x) for s in (1, -1)
        )
        slope = run_table(target, function, name, x, y, result)
        np.testing.assert_allclose(slope, (after - before) / (2 * step), 1e-6, 1e-7)


def swap(nodes, op):
    next(n for n in nodes if n.get("op") == op)["operands"].reverse()


def nodes_of(operator):
    return operator["computes"]["expression"]["nodes"]


def steps_of(operator):
    return operator["derivative"]["backward"]["steps"]


def lie_about_number(operator):
    next(n for n in nodes_of(operator) if n.get("value") == 6)["value"] = 6.5


def lie_about_branches(operator):
    condition, yes, no = nodes_of(operator)[-1]["operands"]
    nodes_of(operator)[-1]["operands"] = [condition, no, yes]


def lie_about_steps(operator):
    first, second = steps_of(operator)
    first["arguments"], second["arguments"] = second["arguments"], first["arguments"]


def lie_about_reads(operator):
    for node in steps_of(operator)[0]["formula"]["nodes"]:
        if node["kind"] == "argument":
            node["argument"] = 1 - node["argument"]


LIES = {
    "sub.Tensor": lambda o: swap(nodes_of(o), "subtract"),
    "hardswish": lie_about_number,
    "where.self": lie_about_branches,
    "eq.Tensor": lambda o: o["computes"]["expression"].update(result="compute"),
    "maximum": lambda o: o["computes"]["expression"].update(compute="int_to_float"),
    "add.Scalar": lambda o: o["computes"]["expression"]["arguments"][1].pop("promotes"),
    "atan2": lie_about_steps,
    "mul.Tensor": lie_about_reads,
    "sigmoid": lambda o: None,  # of which the vocabulary lies: see the test
}


def test_lies_are_noticed(tmp_path):
    """Each mistake in a copy of the document is one difference at least; what is told right stays right."""
    lying = copy.deepcopy(MODEL)
    for operator in lying["operators"]:
        LIES.get(operator["name"], lambda o: None)(operator)
    sigmoid = next(f for f in lying["intrinsics"] if f["op"] == "sigmoid")
    swap(sigmoid["definition"], "divide")
    target = Target(lying, tmp_path)
    for operator in PRINTED:
        if operator["name"] in (*LIES, "cos", "sub.Scalar", "hypot"):
            found, _ = value_differences(target, operator)
            if operator in PASSES:
                found += gradient_differences(target, operator)[0]
            assert bool(found) == (operator["name"] in LIES), operator["name"]


def test_what_the_printer_does_not_know(tmp_path):
    wrong = copy.deepcopy(MODEL)
    sine = next(o for o in wrong["operators"] if o["name"] == "sin")
    sine["computes"]["expression"]["dtypes"].append("int64")
    with pytest.raises(SystemExit, match="C has no 'sin' of int64, and the document no definition"):
        Target(wrong, tmp_path)
    with pytest.raises(SystemExit, match="this printer reads version 1, not 2"):
        Target({**MODEL, "opweave_model": 2}, tmp_path)


def test_none_is_left_out(target, capsys):
    """Each has a kernel for every dtype of C's in which it computes."""
    assert [*target.printed] == [o["name"] for o in PRINTED]
    assert all(target.printed.values())
    kernels = sum(map(len, target.printed.values()))
    with capsys.disabled():
        print(
            f"\n{len(PRINTED)} operators printed, 0 left out: {kernels} kernels, "
            f"{len(EXACT)} of exact functions, {len(PASSES)} backward and {len(TANGENTS)} forward passes"
        )
    assert len(PRINTED) >= 331
    assert len(PASSES) >= 283
    assert len(TANGENTS) >= 272
