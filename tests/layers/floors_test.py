"""Modules of the Python package import what stands on their floor or below, and nothing in circles."""

from pathlib import Path

import floors
import layers
import pytest
from checkout import CHECKOUT

ROOT = CHECKOUT / "bindings/python/opweave"
TABLE = layers.read_table(CHECKOUT / "tools/layers.bzl")["PYTHON_FLOORS"]

# Who takes the package itself for an object, and what for: nobody reads what it needs from it.
TAKES_THE_PACKAGE = {
    "_VF.py": "has all functions of the package under a module of PyTorch's",
    "_stable_libraries.py": "adds functions of operator libraries to it",
    "as_torch/__init__.py": "makes it what `import torch` gives",
    "as_torch/_finder.py": "makes it what `import torch` gives",
    "as_torch/functorch.py": "has the version that it says, which as_torch sets",
    "overrides.py": "lists the functions that programs see there",
    "utils/benchmark/_timer.py": "gives it to statements that are measured",
    "utils/collect_env.py": "reports the version that it says, which as_torch sets",
}
# Modules that load others by a name that is put together, and which those are.
LOADS_BY_NAME = {
    # Methods that few programs call are functions of modules that few programs load.
    "opweave._tensor": ["_composites", "_in_place", "_old_methods", "_view_copies"],
    # What few programs register.
    "opweave.library": [
        *("_custom_ops.checks", "_custom_ops.fakes", "_custom_ops.kept_kernels"),
        *("_custom_ops.operators", "_custom_ops.registering", "_custom_ops.schema_inference"),
        "_custom_ops.unsupported",
    ],
}


def files() -> dict[str, Path]:
    return floors.modules_of(ROOT)


@pytest.fixture(scope="module")
def imports() -> list[floors.Import]:
    known = files()
    found: list[floors.Import] = []
    for module, path in known.items():
        if path.suffix == ".py":
            place = str(path.relative_to(CHECKOUT))
            found += floors.imports(module, place, path.read_text(), known)
    for module, names in LOADS_BY_NAME.items():
        place = str(known[module].relative_to(CHECKOUT))
        found += [floors.Import(module, f"opweave.{name}", place) for name in names]
    assert len(found) > 1000
    return found


def test_nothing_imports_the_package_itself(imports: list[floors.Import]) -> None:
    assert floors.of_the_package(imports) == []


def test_nothing_imports_what_stands_above_it(imports: list[floors.Import]) -> None:
    assert floors.upwards(imports, TABLE) == []


def test_nothing_goes_in_circles(imports: list[floors.Import]) -> None:
    assert floors.in_circles(imports) == []


def test_every_module_has_a_floor() -> None:
    assert floors.unplaced(files(), TABLE) == []


def test_every_line_of_the_table_is_needed() -> None:
    assert floors.needless(files(), TABLE) == []


def test_who_takes_the_package_for_an_object() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in files().values()
        if path.suffix == ".py" and list(floors.reads_the_package(str(path), path.read_text()))
    }
    assert found == set(TAKES_THE_PACKAGE)


def test_who_loads_modules_by_names_that_are_put_together() -> None:
    found = {
        module
        for module, path in files().items()
        if path.suffix == ".py" and list(floors.computes_names(module, str(path), path.read_text()))
    }
    assert found == set(LOADS_BY_NAME)


FLOORS = {"low": ["_low", "both", "nn._part"], "high": ["nn"]}
KNOWN = [
    "opweave",
    "opweave._low",
    "opweave.both",
    "opweave.nn",
    "opweave.nn._part",
    "opweave.nn.layer",
]


def _found(module: str, text: str, path: str = "x.py") -> list[floors.Import]:
    return list(floors.imports(module, path, text, KNOWN))


def test_an_import_of_the_package_is_named_with_its_line() -> None:
    found = _found("opweave._low", "import os\nimport opweave as ow\nfrom opweave import zeros\n")
    found += _found("opweave._low", "def f():\n    import opweave.both\n", "y.py")
    assert floors.of_the_package(found) == [
        f"opweave._low imports opweave ({place}): {floors.FACADE}"
        for place in ("x.py:2", "x.py:3", "y.py:2")
    ]


def test_an_import_upwards_is_named_with_both_floors() -> None:
    text = "from opweave import both\ndef f():\n    from opweave.nn import layer\n"
    assert floors.upwards(_found("opweave._low", text), FLOORS) == [
        "opweave._low imports opweave.nn.layer (x.py:3), but low stands below high: "
        + floors.UPWARDS
    ]
    assert floors.upwards(_found("opweave.nn.layer", text), FLOORS) == []


def test_loading_by_name_is_an_import() -> None:
    text = 'import importlib\nimportlib.import_module("opweave.nn.layer")\n'
    (found,) = _found("opweave.nn._part", text)
    assert len(floors.upwards([found], FLOORS)) == 1
    # A package may give its own modules, whatever those need.
    (found,) = floors.imports("opweave.nn", "nn/__init__.py", text, KNOWN)
    assert floors.upwards([found], {"low": ["nn"], "high": ["nn.layer"]}) == []


def test_relative_imports_are_imports() -> None:
    found = _found("opweave.nn._part", "from . import layer\nfrom .. import both\n")
    assert [each.used for each in found] == ["opweave.both", "opweave.nn.layer"]
    (found_of_package,) = floors.imports(
        "opweave.nn", "nn/__init__.py", "from .layer import X\n", KNOWN
    )
    assert found_of_package.used == "opweave.nn.layer"


def test_a_circle_is_told_once_with_its_lines() -> None:
    found = _found("opweave.both", "from opweave._low import x\n", "both.py")
    found += _found("opweave._low", "def f():\n    from opweave import both\n", "_low.py")
    assert floors.in_circles(found) == [
        "opweave.both imports opweave._low (both.py:1); opweave._low imports opweave.both (_low.py:2): "
        + floors.IN_CIRCLES
    ]


def test_a_new_module_needs_a_floor() -> None:
    assert floors.unplaced(["opweave", "opweave.nn.new", "opweave.new"], FLOORS) == [
        f"opweave.new: {floors.UNPLACED}"
    ]
    assert floors.needless(KNOWN, {"low": ["_low", "gone", "nn"], "high": ["both"]}) == [
        "there is no module opweave.gone any more: take it out of PYTHON_FLOORS"
    ]
    assert floors.needless(KNOWN, {"low": ["nn", "nn.layer"]}) == [
        "opweave.nn.layer stands where its package stands: take it out of PYTHON_FLOORS"
    ]
