"""Every module that programs import has types, in a stub or in its text; stubs say what is there."""

import ast
import importlib
import inspect
import warnings

import pytest
from stub_files import (
    PACKAGE,
    definitions,
    files_in_rooms,
    name_of,
    names,
    own_names,
    public_files,
    tree_of,
)

STUBS = public_files(".pyi") + files_in_rooms(".pyi")
# Of whose functions mypy sees the text.
WITHOUT_STUB = [f for f in public_files(".py") if not f.with_suffix(".pyi").exists()]
# Names of these are made when they are asked for; their stubs have the ones that programs use.
_MADE_WHEN_ASKED = {"opweave.cuda"}
# What gives types nothing to say: names for type variables and aliases of types, which stubs alone have.
_OF_STUBS = {"DeviceLike", "DtypeMethods", "F", "M", "Number", "T", "TensorMethods"}


def _untyped(node, prefix=""):
    """The public functions and methods under a node whose arguments or results have no types."""
    for name, inner in definitions(node.body).items():
        if isinstance(inner, ast.ClassDef):
            if not name.startswith("_"):
                yield from _untyped(inner, f"{name}.")
        elif (not name.startswith("_") or (prefix and name == "__init__")) and not inner.returns:
            yield prefix + name


def _imported(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


@pytest.mark.parametrize("path", WITHOUT_STUB, ids=name_of)
def test_a_module_without_a_stub_has_types(path):
    assert list(_untyped(tree_of(path))) == []


@pytest.mark.parametrize("path", WITHOUT_STUB, ids=name_of)
def test_a_module_without_a_stub_exports_what_it_imports(path):
    """mypy reads an __all__ that is a list of names; other names that are imported are not exported."""
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            defined = set(definitions(tree_of(path).body))
            plain = all(isinstance(item, ast.Constant) for item in node.value.elts)
            assert plain or set(_imported(name_of(path)).__all__) <= defined


@pytest.mark.parametrize("path", STUBS, ids=name_of)
def test_a_stub_has_the_names_of_its_module(path):
    module = _imported(name_of(path))
    said = names(path)
    if "__getattr__" not in said:
        assert {name for name in own_names(module) if not name.startswith("_")} - said == set()
    assert {
        n for n in said - _OF_STUBS if not n.startswith("_") and not hasattr(module, n)
    } == set()


def _functions(path):
    """(name, stub, running function) of what has one signature, methods included."""
    module = _imported(name_of(path))
    for name, node in definitions(tree_of(path).body).items():
        if isinstance(node, ast.ClassDef):
            cls = getattr(module, name, None)
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.decorator_list:
                    yield f"{name}.{inner.name}", inner, getattr(cls, inner.name, None)
        elif not node.decorator_list:
            yield name, node, getattr(module, name, None)


def _arguments(node):
    a = node.args
    return [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs] if p.arg[0] != "_"]


def _wrong(path):
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name, node, running in _functions(path):
        if name.rpartition(".")[2] in ("__getattr__", "__new__") or node.args.vararg:
            continue
        try:
            parameters = inspect.signature(running).parameters.values()
        except (TypeError, ValueError):  # of the extension
            continue
        if any(p.kind in stars for p in parameters):
            continue
        if [p.name for p in parameters if p.name[0] != "_"] != _arguments(node):
            yield f"{name}{inspect.signature(running)}"


@pytest.mark.parametrize("path", STUBS, ids=name_of)
def test_a_stub_has_the_arguments_of_its_module(path):
    assert list(_wrong(path)) == []


def _table(name):
    """A file of as_torch: what follows a module's name in its line."""
    lines = (PACKAGE / "as_torch" / name).read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


NAMES, ALIASES = _table("pytorch_names.txt"), _table("pytorch_aliases.txt")


def _lacking(path):
    """Names of PyTorch's module that ours has as well, and the stub does not; without modules."""
    name = name_of(path)
    module, theirs = _imported(name), name.replace("opweave", "torch", 1)
    elsewhere = {
        n for part in ALIASES.get(theirs, "").split() for n in part.split("=")[1].split(",")
    }
    for found in sorted(set(NAMES.get(theirs, "").split()) - elsewhere - names(path)):
        value = None if found.startswith("_") else getattr(module, found, None)
        if value is not None and not inspect.ismodule(value):
            yield found


@pytest.mark.parametrize(
    "path", [f for f in STUBS if name_of(f) not in _MADE_WHEN_ASKED], ids=name_of
)
def test_a_stub_has_the_names_of_pytorch(path):
    assert list(_lacking(path)) == []
