"""What the package's type stubs say, and what its modules have."""

import ast
import importlib
import inspect
from pathlib import Path

import opweave

PACKAGE = Path(opweave.__file__).parent
# Run by `python -m`, started by programs of ours or found by another name: nobody imports them for types.
_PROGRAMS = (
    "as_torch/functorch.py",
    "build",
    "distributed/plan",
    "distributed/run",
    "distributed/trace",
    "share",
    "tests",
)


def _is_public(path):
    """Whether programs name the module."""
    folders = path.relative_to(PACKAGE).with_suffix("").parts
    name = folders[-1]
    named = folders[:-1] if name == "__init__" else folders
    return name != "__main__" and not any(part.startswith("_") for part in named)


def name_of(path):
    """The module of a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def public_files(suffix):
    """The files of the modules that programs import."""
    files = (f for f in sorted(PACKAGE.rglob(f"*{suffix}")) if _is_public(f))
    programs = tuple(PACKAGE / folder for folder in _PROGRAMS)
    return [f for f in files if not any(f.is_relative_to(p) for p in programs)]


def files_in_rooms(suffix):
    """The files in private folders, whose classes public modules give on."""
    files = sorted(PACKAGE.rglob(f"*{suffix}"))
    return [f for f in files if any(p.startswith("_") for p in f.relative_to(PACKAGE).parts[:-1])]


def tree_of(path):
    """The text of a file as a tree."""
    return ast.parse(path.read_text())


def definitions(body):
    """The classes and functions among these nodes, by name."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {n.name: n for n in body if isinstance(n, kinds)}


def names(path):
    """The names that a stub gives: definitions, variables and what it imports as itself."""
    found = set()
    for node in tree_of(path).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets}
        elif isinstance(node, ast.ImportFrom):
            found |= _imported(node)
    return found


def _imported(node):
    if [alias.name for alias in node.names] != ["*"]:
        return {alias.name for alias in node.names if alias.asname == alias.name}
    path = PACKAGE.parent / node.module.replace(".", "/")
    for stub in (path.with_suffix(".pyi"), path / "__init__.pyi"):
        if stub.exists():
            return {name for name in names(stub) if not name.startswith("_")}
    return set(importlib.import_module(node.module).__all__)


def own_names(module):
    """The public names of a module: those of its __all__, or else what it defines."""
    if hasattr(module, "__all__"):
        return set(module.__all__)
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isroutine(value))
        and value.__module__ == module.__name__
    }
