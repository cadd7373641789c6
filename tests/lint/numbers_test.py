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


# --- `x * mask`: NaN where x is infinite and the mask is not; where() chooses -----------------------------
MASKED = {
    "bindings/python/opweave/optim/_recorded.py": (1, "a factor, no mask"),
}


def is_truth(node: ast.expr) -> bool:
    """Whether a factor is made of truth values, as far as that can be seen."""
    if isinstance(node, (ast.Compare, ast.Not)):
        return True
    if isinstance(node, ast.Name):
        return node.id in ("own", "given")
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.BitAnd, ast.BitOr)) and is_truth(node.left)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert)
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute):
        return False
    casts = function.attr == "to" and len(node.args) == 1  # type: ignore[attr-defined]
    moves = function.attr in ("unsqueeze", "reshape", "expand", "to", "float", "type_as")
    return function.attr in ("logical_not", "isnan", "isfinite") or (
        moves and (casts or is_truth(function.value))
    )


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def masked_products(text: str) -> int:
    found = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.BinOp))
    products = [n for n in found if isinstance(n.op, ast.Mult) and not is_text(n.left)]
    return sum(is_truth(n.left) + is_truth(n.right) == 1 for n in products)


def test_masks_choose_and_do_not_multiply() -> None:
    found = {
        name: count
        for name in sources(PACKAGE)
        if (count := masked_products((CHECKOUT / name).read_text()))
    }
    assert found == {name: count for name, (count, _) in MASKED.items()}, "choose by where()"


def test_what_is_a_masked_product() -> None:
    assert masked_products("x * (y > 0).to(x.dtype) + x * (a < b)") == 2
    assert masked_products("x * inside.unsqueeze(1).to(values.dtype)") == 1
    assert masked_products("x * y.to(z)[0] * y.unsqueeze(1)") == 0


# --- floats as whole numbers: places are made by operators ------------------------------------------------
WHOLE = re.compile(r"\.(long|int|char)\(\)|\.to\((dtype=)?(opweave|_C)\.u?int\d+\)")
# What is converted there, which is no float, or no index.
CONVERTED = {
    "bindings/python/opweave/_composites.py": (1, "whole numbers: places"),
    "bindings/python/opweave/distributed/algorithms/ddp_comm_hooks/quantization_hooks.py": (
        1,
        "bytes of gradients, from 0 to 255",
    ),
    "bindings/python/opweave/nn/attention/_block_mask.py": (5, "blocks that are counted"),
    "bindings/python/opweave/nn/utils/rnn.py": (3, "methods of PackedSequence"),
    "bindings/python/opweave/testing/_tensors.py": (2, "whole numbers that are compared"),
}


def conversions(text: str) -> int:
    return len(WHOLE.findall(text))


def test_floats_become_indices_in_operators() -> None:
    found = {
        name: count
        for name in sources(PACKAGE)
        if (count := conversions((CHECKOUT / name).read_text()))
    }
    assert found == {name: count for name, (count, _) in CONVERTED.items()}, (
        "what floats index is an operator, which says what becomes of those that are no place"
    )


def test_what_is_a_conversion() -> None:
    assert conversions("x.long() + y.to(opweave.int64)\nz.int()") == 3
    assert conversions("x.to(y.dtype); int(x); x.floating()") == 0


# The same in C++: casts of what was rounded or bounded as a float, which no index is made of.
CAST = re.compile(
    r"\bl?l(round|rint)\b"
    r"|static_cast<(u?int\d+_t|int|long|size_t)>\((std::)?(floor|ceil|round|trunc|rint|min|max|clamp)\("
)
CASTS = {
    "bindings/python/distributed/timeout.h": (1, "milliseconds, in their limits"),
    "kernels/composite/collectives.cc": (1, "milliseconds, in their limits"),
    "kernels/cpu/linear_algebra/svd.cc": (1, "how many matrices a thread takes, from 1 on"),
    "kernels/cpu/random/sequential.cc": (1, "a probability in units of 2**-53, which was checked"),
    "runtime/distributed/store/waiting.cc": (1, "milliseconds, counted by a clock"),
}


def test_no_index_of_a_kernel_was_a_float() -> None:
    patterns = [
        f"{folder}/*.{end}"
        for folder in ("runtime", "kernels", "bindings")
        for end in ("cc", "h", "cu", "cuh")
    ]
    found = {
        name: count
        for name in sources(*patterns)
        if (count := len(CAST.findall((CHECKOUT / name).read_text(errors="replace"))))
    }
    assert found == {name: count for name, (count, _) in CASTS.items()}


def test_what_is_a_cast_of_a_float() -> None:
    assert len(CAST.findall("a[std::lround(x)] + static_cast<int64_t>(std::floor(x))")) == 2
    assert not CAST.search("static_cast<int64_t>(t.size()) + std::floor(x)")
