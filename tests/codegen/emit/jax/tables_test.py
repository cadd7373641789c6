"""The tables of the emitter for JAX name operators that there are, and functions that there are."""

import ast
import re
from pathlib import Path

JAX = Path("codegen/emit/jax")


def entries(table, macro):
    return re.findall(rf"^{macro}\(([^)]*)\)", (JAX / table).read_text(), re.MULTILINE)


def defined(module):
    tree = ast.parse((JAX / "support" / module).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_operators_of_the_table_are_operators_of_the_core():
    names = re.findall(r"^- func: ([\w.]+)\(", Path("ops.yaml").read_text(), re.MULTILINE)
    identifiers = {name.replace(".", "_") for name in names}
    table = [entry.split(", ")[0] for entry in entries("operators.def", "OPWEAVE_JAX_OPERATOR")]
    assert len(table) > 50
    assert len(table) == len(set(table))
    assert set(table) <= identifiers


def test_functions_of_the_core_are_in_the_module_that_has_them():
    functions = [
        entry.split(", ")[1].strip('"')
        for entry in entries("operators.def", "OPWEAVE_JAX_OPERATOR")
    ]
    own = {f.removeprefix("ow_core.") for f in functions if f.startswith("ow_core.")}
    public = {name for name in defined("_core.py") if not name.startswith("_")}
    assert own == public
    assert all(f.startswith(("ow_core.", "ow_jnp.")) for f in functions)


def test_every_function_of_expressions_has_a_meaning():
    text = Path("codegen/expr/intrinsics.def").read_text()
    names = re.findall(r"^OPWEAVE_INTRINSIC\((\w+),", text, re.MULTILINE)
    vocabulary = (JAX / "support/_vocabulary.py").read_text()
    other = set(re.findall(r'^    "(\w+)": ', vocabulary, re.MULTILINE)) | defined("_vocabulary.py")
    # The rest are jax.numpy's of the same name, which are NumPy's.
    import numpy as np

    lacking = [name for name in names if name not in other and not hasattr(np, name)]
    assert lacking == []
