"""The imports of the Python package, and what is to be said about those that go up or in circles."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from circles import circles

PACKAGE = "opweave"
# Modules that are compiled: their stubs are in their place.
EXTENSIONS = ("_C", "_distributed")
FACADE = (
    "names of the package are for programs; name the module that defines what is needed: opweave._C for what "
    "the extension has (Tensor, dtypes, devices, operators), opweave._grad_mode for no_grad, "
    "opweave.functional for where"
)
UPWARDS = (
    "move what both need to a floor below, or have the upper one register it with the lower one, as "
    "opweave.distributed does with opweave._process_groups"
)
IN_CIRCLES = (
    "move what both need to a third module, put them together, or have one register with the other"
)
UNPLACED = "say in PYTHON_FLOORS of tools/layers.bzl on which floor it stands: whom may it use?"


@dataclass(frozen=True)
class Import:
    """A module that uses another, and the line that says so; `own`: a package that gives what is below it."""

    user: str
    used: str
    place: str
    own: bool = False

    def __str__(self) -> str:
        return f"{self.user} imports {self.used} ({self.place})"


def modules_of(root: Path) -> dict[str, Path]:
    """The files of the package's modules by their names."""
    found: dict[str, Path] = {}
    for path in [*sorted(root.rglob("*.py")), *(root / f"{name}.pyi" for name in EXTENSIONS)]:
        name = ".".join((PACKAGE, *path.relative_to(root).with_suffix("").parts))
        found[name.removesuffix(".__init__")] = path
    return found


def _absolute(module: str, is_package: bool, node: ast.ImportFrom) -> str:
    """The module of `from ..x import y` by its whole name."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, node.module] if node.module else parts)


def _loaded_by_name(node: ast.AST) -> str | None:
    """The module of import_module("opweave.x")."""
    if (
        not isinstance(node, ast.Call)
        or not node.args
        or not isinstance(node.args[0], ast.Constant)
    ):
        return None
    called = ast.unparse(node.func).rpartition(".")[2]
    return str(node.args[0].value) if called in ("import_module", "__import__") else None


def _named(module: str, is_package: bool, node: ast.AST, known: Iterable[str]) -> list[str]:
    """The modules that a line names."""
    if isinstance(node, ast.Import):
        # `import opweave.x` gives the package its name, but for `as`.
        return [a.name if a.asname else a.name.partition(".")[0] for a in node.names]
    if isinstance(node, ast.ImportFrom):
        base = _absolute(module, is_package, node)
        inner = [f"{base}.{alias.name}" for alias in node.names]
        return [name if name in known else base for name in inner]
    loaded = _loaded_by_name(node)
    return [loaded] if loaded else []


def imports(module: str, path: str, text: str, known: Iterable[str]) -> Iterator[Import]:
    """What a module imports of the package, also inside of functions, once for each line."""
    is_package = path.endswith("__init__.py")
    seen = set()
    for node in ast.walk(ast.parse(text)):
        for name in _named(module, is_package, node, known):
            ours = name == PACKAGE or name.startswith(f"{PACKAGE}.")
            if ours and name in known and name != module:
                own = isinstance(node, ast.Call) and is_package and name.startswith(f"{module}.")
                seen.add(Import(module, name, f"{path}:{getattr(node, 'lineno', 0)}", own))
    yield from sorted(seen, key=str)


def floor_of(module: str, floors: Mapping[str, list[str]]) -> str | None:
    """The floor of a module: that of the longest name in the table that it is, or is below."""
    names = {name: floor for floor, names in floors.items() for name in names}
    parts = module.split(".")[1:]
    return next(
        (names[n] for i in range(len(parts), 0, -1) if (n := ".".join(parts[:i])) in names), None
    )


def of_the_package(found: Iterable[Import]) -> list[str]:
    """What is to be said about modules that import the package itself."""
    return [f"{each}: {FACADE}" for each in found if each.used == PACKAGE]


def upwards(found: Iterable[Import], floors: Mapping[str, list[str]]) -> list[str]:
    """What is to be said about imports of what stands on a higher floor."""
    order = list(floors)
    said = []
    for each in found:
        floor, other = floor_of(each.user, floors), floor_of(each.used, floors)
        if floor and other and not each.own and order.index(other) > order.index(floor):
            said.append(f"{each}, but {floor} stands below {other}: {UPWARDS}")
    return said


def in_circles(found: Iterable[Import]) -> list[str]:
    """What is to be said about imports that lead back to where they began: each circle once."""
    return [f"{'; '.join(map(str, way))}: {IN_CIRCLES}" for way in circles(found)]


def unplaced(modules: Iterable[str], floors: Mapping[str, list[str]]) -> list[str]:
    """What is to be said about modules without a floor."""
    return [f"{m}: {UNPLACED}" for m in modules if m != PACKAGE and floor_of(m, floors) is None]


def needless(modules: Iterable[str], floors: Mapping[str, list[str]]) -> list[str]:
    """What is to be said about names in the table that are no modules, or stand with their package."""
    there = set(modules)
    said = []
    for floor, names in floors.items():
        for name in names:
            above = floor_of(f"{PACKAGE}.{name}".rpartition(".")[0], floors)
            if f"{PACKAGE}.{name}" not in there:
                said.append(
                    f"there is no module {PACKAGE}.{name} any more: take it out of PYTHON_FLOORS"
                )
            elif above == floor:
                said.append(
                    f"{PACKAGE}.{name} stands where its package stands: take it out of PYTHON_FLOORS"
                )
    return said


def reads_the_package(path: str, text: str) -> Iterator[str]:
    """The lines that take the package from where Python keeps what is imported."""
    for line, words in enumerate(text.splitlines(), 1):
        if f'sys.modules["{PACKAGE}"]' in words or f'sys.modules.get("{PACKAGE}")' in words:
            yield f"{path}:{line}"


def _begins(call: ast.Call) -> str:
    """How the name begins that import_module(f"opweave.{x}") loads."""
    name = call.args[0] if call.args else None
    loads = ast.unparse(call.func).rpartition(".")[2] == "import_module"
    parts = name.values if loads and isinstance(name, ast.JoinedStr) else []
    return str(parts[0].value) if parts and isinstance(parts[0], ast.Constant) else ""


def computes_names(module: str, path: str, text: str) -> Iterator[str]:
    """The lines that load a module of the package by a name that is put together, and is not below it."""
    if "import_module(f" not in text:
        return
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    for call in calls:
        begins = _begins(call)
        own = path.endswith("__init__.py") and begins.startswith(f"{module}.")
        if begins.startswith(f"{PACKAGE}.") and not own:
            yield f"{path}:{call.lineno}"
