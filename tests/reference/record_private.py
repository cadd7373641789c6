"""Records the arguments of PyTorch's private functions that have namesakes in the same modules here, and
what programs print that call private functions; runs in a Python that has PyTorch.

Under opweave.as_torch such a name gives Opweave's function, so that it has to take what PyTorch's does.
"""

import ast
import importlib
import inspect
import subprocess
import sys
import warnings
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "bindings/python/opweave"
TARGET = Path(__file__).parents[1] / "python/as_torch/private_arguments.txt"


def _names(tree):
    """The private names at the top of a module's text."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def modules():
    """(PyTorch's name, private names that ours has) of each module of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        names = {n for n in _names(ast.parse(path.read_text())) if n[0] == "_" and n[1:2] != "_"}
        if names and "as_torch" not in parts:
            yield ".".join(["torch", *parts]), sorted(names)


def arguments(value):
    """The names of a function's arguments, with = for those that need not be given; None for others."""
    if not inspect.isfunction(value):
        return None
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return " ".join(
        marks.get(p.kind, "") + p.name + ("" if p.default is p.empty else "=")
        for p in inspect.signature(value).parameters.values()
    )


def lines():
    """A line for each."""
    for module, names in modules():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = vars(importlib.import_module(module))
            except Exception:
                continue
        for name in names:
            taken = arguments(theirs.get(name))
            if taken is not None:
                yield f"{module}.{name}: {taken}".rstrip()


def record_programs():
    """Writes beside each program what it prints."""
    for program in sorted((TARGET.parent / "programs").glob("*.txt")):
        done = subprocess.run(
            [sys.executable, program], stdout=subprocess.PIPE, text=True, check=True
        )
        program.with_suffix(".said").write_text(done.stdout)


if __name__ == "__main__":
    TARGET.write_text("\n".join(lines()) + "\n")
    record_programs()
