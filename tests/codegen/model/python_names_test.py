"""What the Python package has beside its operators is what the checker of ops.yaml knows of it.

`OPWEAVE_UPDATE=1 bazel run //tests/codegen/model:python_names_test` writes the table anew.
"""

import inspect
import os
import re
from pathlib import Path

import opweave
import opweave.nn.functional

FILE = Path("codegen/model/operators/python_names.def").resolve()

HEADER = """// The names of the Python package that are no operators, and what they are:
// OPWEAVE_PYTHON_NAME(scope, name, meaning). Written by its test.
"""


def operators(file, indent):
    text = (Path(opweave._C.__file__).parent / file).read_text()
    return set(re.findall(rf"^{indent}def (\w+)", text, re.MULTILINE))


def asks_for_a_state(value, name):
    """Whether `is_leaf` and the like ask for something else than a device, which a target may bring."""
    doc = inspect.getdoc(value) or ""
    return name.startswith("is_") and name[3:] not in targets() and " on " not in doc


def meaning(value, owner, name):
    if inspect.ismodule(value):
        return "a module"
    if isinstance(value, opweave.dtype):
        return "a dtype"
    if inspect.isclass(value):
        return "a class"
    if callable(value):
        return "a method" if owner == "Tensor" else "a function"
    if owner != "Tensor":
        return f"a value of type {type(value).__name__}"
    return "a state of tensors" if asks_for_a_state(value, name) else "an attribute of tensors"


def names(scope, owner, ours, more=()):
    for name in sorted({*dir(owner), *more} - ours):
        if not name.startswith("__"):
            value = (
                inspect.getattr_static(owner, name) if scope == "Tensor" else getattr(owner, name)
            )
            if value in opweave._C._dtypes and str(value).endswith(f".{name}"):
                continue  # the checker has those from dtypes.def
            yield f'OPWEAVE_PYTHON_NAME("{scope}", "{name}", "{meaning(value, scope, name)}")'


def targets():
    """Modules that are made when they are asked for, which dir() leaves out: `opweave.cuda`."""
    return {*opweave._targets.BUILT_IN, *opweave._targets.EXPECTED}


def table():
    functions = opweave.nn.functional
    lines = [
        *names("opweave", opweave, operators("_generated.pyi", ""), targets()),
        *names("Tensor", opweave.Tensor, operators("_generated.pyi", "    ")),
        *names("nn.functional", functions, operators("_generated_nn.pyi", "")),
    ]
    return HEADER + "\n".join(lines) + "\n"


def test_the_table_is_that_of_the_package():
    found = table()
    if "OPWEAVE_UPDATE" in os.environ:
        FILE.write_text(found)
    assert FILE.read_text() == found


def test_names_that_would_be_replaced_are_there():
    found = table()
    for name in ["nn", "tensor", "func", "manual_seed", "cpu", "cuda"]:
        assert f'"opweave", "{name}", "a ' in found
    for name in ["shape", "numpy", "backward"]:
        assert f'"Tensor", "{name}", "a' in found
