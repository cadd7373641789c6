"""What counts.py counts of the Python package: operators that are written in it, and modules in circles."""

import ast
from collections.abc import Callable, Iterator
from typing import Protocol

PACKAGE = "bindings/python/"
# What does by hand for a function of Python what the generator does for entries of ops.yaml.
BY_HAND = {"computed_in", "overridable", "takes", "with_out"}

Found = list[str]


class Tree(Protocol):
    """A checkout: its tracked files, and their texts."""

    files: list[str]

    def text(self, file: str) -> str: ...


def _modules(tree: Tree) -> dict[str, ast.Module]:
    """The package's modules by their dotted names."""
    found = {}
    for file in tree.files:
        if file.startswith(f"{PACKAGE}opweave/") and file.endswith(".py"):
            name = file.removeprefix(PACKAGE).removesuffix(".py").replace("/", ".")
            found[name.removesuffix(".__init__")] = ast.parse(tree.text(file))
    return found


def _extensions(tree: Tree) -> set[str]:
    """The modules that are stubs alone: those of C++, which import nothing."""
    stubs = {
        file.removeprefix(PACKAGE).removesuffix(".pyi").replace("/", ".")
        for file in tree.files
        if file.startswith(f"{PACKAGE}opweave/_") and file.endswith(".pyi")
    }
    return stubs - set(_modules(tree))


def _called(node: ast.expr) -> str:
    """The last name of a decorator, without the underscore of a private import."""
    function = node.func if isinstance(node, ast.Call) else node
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return str(name).lstrip("_")


def operators_in_python(tree: Tree) -> Found:
    """Public functions that a decorator makes behave as operators do: their home is ops.yaml."""
    return [
        f"{module}.{function.name}"
        for module, body in _modules(tree).items()
        for function in body.body
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_")
        if BY_HAND & set(map(_called, function.decorator_list))
    ]


def _imports(module: str, body: ast.Module, known: set[str]) -> Iterator[str]:
    """The modules of the package that one imports, inside of functions too, and by name."""
    for node in ast.walk(body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in inner]
        elif isinstance(node, ast.Call) and _called(node) == "import_module" and node.args:
            names = [str(getattr(node.args[0], "value", ""))]
        else:
            continue
        yield from (name for name in names if name in known and name != module)


def _reached(start: str, next_of: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        for name in next_of.get(left.pop(), set()) - seen:
            seen.add(name)
            left.append(name)
    return seen


def modules_in_circles(tree: Tree) -> Found:
    """Modules of the package that import themselves by way of others."""
    modules = _modules(tree)
    known = {*modules, *_extensions(tree)}
    next_of = {name: set(_imports(name, body, known)) for name, body in modules.items()}
    return [name for name in modules if name in _reached(name, next_of)]


PYTHON_COUNTS: dict[str, Callable[[Tree], Found]] = {
    "operators written in Python": operators_in_python,
    "modules of Python in import circles": modules_in_circles,
}
