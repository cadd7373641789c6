"""What computes with tensors is an entry of ops.yaml: the Python package checks, warns and names, and calls
operators. Modules that compute nevertheless are listed with their reason."""

import ast
import re

import pytest
from lint_test import CHECKOUT

PACKAGE = CHECKOUT / "bindings/python/opweave"
# What layers, optimizers and programs are made of is theirs to compute.
OWN = ("nn/modules", "nn/parallel", "nn/utils", "optim", "utils", "distributed")

# What is not an operator in PyTorch either, takes functions, or is chosen by arguments that no schema has.
_CHECKS = "checks what a program computed"
_NAMES = "PyTorch's private functions, for copies of its code"
REASONS = {
    "_custom_ops/checks.py": _CHECKS,
    "_einsum_order.py": "einsum() in the order that opt_einsum finds, in Python in PyTorch too",
    "amp/grad_scaler.py": "steps of the scale of a loss",
    "as_torch/_private_layers.py": _NAMES,
    "as_torch/_private_settings.py": _NAMES,
    "as_torch/_private_steps.py": _NAMES,
    "autograd/_gradchecks.py": _CHECKS,
    "foreach.py": "lists of tensors, written in place: a loop over operators for each of 100 names",
    "functional.py": "einsum(), tensordot() and where() by kinds of arguments, in Python in PyTorch too",
    "nn/_attention.py": "multi_head_attention_forward(): checks and choices around operators, as in PyTorch",
    "nn/_functions.py": "gumbel_softmax(), two lines of a formula and a choice, in Python in PyTorch too",
    "nn/_losses.py": "triplet_margin_with_distance_loss() takes a function of the program's",
    "nn/attention/_block_mask.py": "masks by functions of the program's",
    "nn/attention/flex_attention.py": "attention by functions of the program's",
    "nn/functional.py": "weights of losses, normalize() and words of modes, in Python in PyTorch too",
    "nn/init.py": "numbers that parameters begin with",
    "signal/windows.py": "windows of signals: a formula over a range, made once",
    "testing/_creation.py": _CHECKS,
    "testing/_leaves.py": _CHECKS,
    "testing/_tensors.py": _CHECKS,
}

# Entries of one schema: what they compute elementwise, or sum, multiply and choose.
_FOLDS = (
    *("amax", "amin", "argmax", "argmin", "bmm", "clamp", "cummax", "cumprod", "cumsum", "diff"),
    *("dot", "einsum", "gather", "index_add", "log_softmax", "logsumexp", "matmul", "mean", "mm"),
    *("norm", "prod", "scatter_add", "scatter_reduce", "softmax", "std", "sum", "svdvals"),
    *("tensordot", "var", "weighted_reads"),
)
# Also methods of what is no tensor.
_OTHERS = frozenset(
    ["add", "copysign", "index", "invert", "positive", "not_", "real", "round", "sub"]
)


def operators():
    """The names of operators that compute: those with an `expr`, and sums of all kinds."""
    text = (CHECKOUT / "ops.yaml").read_text()
    names = set(_FOLDS)
    for entry in re.split(r"^- func: ", text, flags=re.MULTILINE)[1:]:
        if re.search(r"^  expr: ", entry, flags=re.MULTILINE):
            names.add(re.match(r"\w+", entry)[0].removesuffix("_"))
    return frozenset(n for n in names if not n.startswith("_")) - _OTHERS


OPERATORS = operators()


def computing(source):
    """[(line, operator)] of calls of methods and functions that are named like operators that compute."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id in ("math", "operator", "np", "numpy"):
            continue
        name = node.func.attr.removesuffix("_")
        if name in OPERATORS:
            found.append((node.lineno, node.func.attr))
    return found


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(tuple(f"{own}/" for own in OWN)):
            yield name, path


def test_what_computes_is_an_operator():
    wrong = [
        f"bindings/python/opweave/{name}:{line}: {call}() computes with tensors: make it an entry of "
        "ops.yaml, or name the module's reason in tests/lint/arithmetic_test.py"
        for name, path in modules()
        if name not in REASONS
        for line, call in computing(path.read_text())
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", REASONS)
def test_no_reason_is_left_over(name):
    assert computing((PACKAGE / name).read_text()), f"{name} computes nothing any more"


def test_calls_that_compute_are_found():
    assert computing("y = x.exp() + _C.mul(a, b)") == [(1, "exp"), (1, "mul")]
    assert computing("x.index_add_(0, i, x)") == [(1, "index_add_")]
    assert computing("x.reshape(2); math.exp(1); seen.add(x); sum(xs)") == []
