"""Arithmetic that says nothing of NaN and infinity is found before it runs: values that are differentiated as
others, and floats that become whole numbers, each have one place."""

import ast
import re

from lint_test import CHECKOUT, sources

PACKAGE = "bindings/python/opweave/*.py"

# --- `y + (x - x.detach())`: nothing where x is infinite; ops.with_gradient_of() has a value ----------------
CUT_OFF = {
    "bindings/python/opweave/nn/_functions.py": (
        1,
        "gumbel_softmax: PyTorch's digits, which are not quite one; NaN stays NaN",
    ),
}


def is_cut_off(node: ast.expr) -> bool:
    """Whether a term is a tensor cut off from its graph, or a sum of such."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return is_cut_off(node.left) or is_cut_off(node.right)
    if isinstance(node, ast.UnaryOp):
        return is_cut_off(node.operand)
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in ("detach", "stop_gradient")


def sums_of_cut_off(text: str) -> int:
    """Sums and differences, outermost ones only, with a term that is cut off."""
    trees = [ast.parse(text)]
    found = 0
    while trees:
        node = trees.pop()
        if isinstance(node, ast.BinOp) and is_cut_off(node):
            found += 1
        else:
            trees += ast.iter_child_nodes(node)
    return found


def test_values_with_other_gradients_are_made_by_the_operator() -> None:
    found = {
        name: count
        for name in sources(PACKAGE)
        if (count := sums_of_cut_off((CHECKOUT / name).read_text()))
    }
    assert found == {name: count for name, (count, _) in CUT_OFF.items()}, (
        "ops.with_gradient_of(value, differentiable) has a value where a difference has none"
    )


def test_formulas_cut_nothing_off() -> None:
    for name in ("ops.yaml", "derivatives.yaml"):
        lines = (CHECKOUT / name).read_text().splitlines()
        assert [x for x in lines if "detach(" in x and not x.startswith("- func:")] == []


def test_what_is_cut_off() -> None:
    assert sums_of_cut_off("a + (b - b.detach())") == 1
    assert sums_of_cut_off("f(a.detach() - b) * 2\nc = -d.detach() + d") == 2
    assert sums_of_cut_off("a.detach() * b\nf(a.detach()) - b") == 0


# --- floats as whole numbers: opweave/_places.py ------------------------------------------------------------
PLACES = "bindings/python/opweave/_places.py"
WHOLE = re.compile(r"\.(long|int|char)\(\)|\.to\((dtype=)?(opweave|_C)\.u?int\d+\)")
# What is converted there, which is no float, or no index.
CONVERTED = {
    "bindings/python/opweave/_by_operator.py": (1, "rows of int32"),
    "bindings/python/opweave/_composites.py": (1, "whole numbers that are counted, of any dtype"),
    "bindings/python/opweave/_elementary.py": (1, "exponents, of finite numbers"),
    "bindings/python/opweave/_searching.py": (2, "indices, which are whole"),
    "bindings/python/opweave/_segments.py": (1, "lengths, which are whole"),
    "bindings/python/opweave/nn/_bags.py": (1, "offsets, which are whole"),
    "bindings/python/opweave/nn/_ctc.py": (2, "targets, which are refused where they are floats"),
    "bindings/python/opweave/nn/_functions.py": (1, "bytes of images, from 0 to 255"),
    "bindings/python/opweave/nn/_losses.py": (2, "truth values that are counted"),
    "bindings/python/opweave/nn/attention/_block_mask.py": (5, "blocks that are counted"),
    "bindings/python/opweave/nn/utils/rnn.py": (3, "methods of PackedSequence"),
    "bindings/python/opweave/testing/_tensors.py": (2, "whole numbers that are compared"),
}


def conversions(text: str) -> int:
    return len(WHOLE.findall(text))


def test_floats_become_indices_in_one_place() -> None:
    found = {
        name: count
        for name in sources(PACKAGE)
        if name != PLACES and (count := conversions((CHECKOUT / name).read_text()))
    }
    assert found == {name: count for name, (count, _) in CONVERTED.items()}, (
        f"{PLACES} converts floats that index: to_places(x, size)"
    )


def test_what_is_a_conversion() -> None:
    assert conversions("x.long() + y.to(opweave.int64)\nz.int()") == 3
    assert conversions("x.to(y.dtype); int(x); x.floating()") == 0
