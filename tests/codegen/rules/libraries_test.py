"""The table of rule functions says in which libraries each is: there they are, and no others are left out."""

import ast
import re
from pathlib import Path

TABLE = Path("codegen/rules/functions.def")
STABLE = Path("runtime/stable/include/opweave/stable/form/rules.h")
TORCH = Path("codegen/emit/torch/support/rules.h")
JAX = Path("codegen/emit/jax/support/_rule.py")
SYMBOLS = Path("runtime/rules/symbolic/functions.h")


def functions():
    """(Name, libraries) of every line."""
    text = TABLE.read_text()
    lines = re.findall(
        r'^OPWEAVE_RULE_FUNCTION\w*\(\s*"([a-z_0-9.]+)\(.*?-> [\w\[\]?]+", ([A-Z |]+),',
        text,
        re.MULTILINE | re.DOTALL,
    )
    assert len(lines) == len(re.findall(r"^OPWEAVE_RULE_FUNCTION\w*\(", text, re.MULTILINE))
    return [(name, set(libraries.split(" | "))) for name, libraries in lines]


def names_in(library):
    return {name.split(".")[0] for name, libraries in functions() if library in libraries}


def all_names():
    return {name.split(".")[0] for name, _ in functions()}


def defined_in_cpp(path):
    lines = re.findall(r"^ *(?:static|inline|using) .*$", path.read_text(), re.MULTILINE)
    return {name for line in lines for name in re.findall(r"\b([a-z_0-9]+)(?:\(|;)", line)}


def test_words_are_known():
    for name, libraries in functions():
        assert libraries <= {"STABLE", "TORCH", "JAX"} or libraries == {"CORE"}, name


def test_libraries_for_every_release():
    assert names_in("STABLE") == all_names() & defined_in_cpp(STABLE)


def test_pytorch():
    assert names_in("TORCH") == all_names() & defined_in_cpp(TORCH)


def test_jax():
    functions_of_jax = {
        node.name
        for node in ast.walk(ast.parse(JAX.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert names_in("JAX") == all_names() & functions_of_jax


def test_symbols():
    """Rules that call what has no form over symbols are left out there; all other functions have one."""
    kinds = re.findall(
        r'^OPWEAVE_RULE_FUNCTION(\w*)\(\s*"([a-z_0-9]+)', TABLE.read_text(), re.MULTILINE
    )
    over_symbols = {name for kind, name in kinds if kind not in ("_OF_DATA", "_OF_SHAPES")}
    declared = re.findall(
        r"^(?:(?:inline )?[\w:]+ ([a-z_0-9]+)\(|using opweave::rule::([a-z_0-9]+);)",
        SYMBOLS.read_text(),
        re.MULTILINE,
    )
    assert over_symbols == all_names() & {name for names in declared for name in names}
