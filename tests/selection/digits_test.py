"""What a build with the quickstart's selection is made of: Bazel's list, and files that need no others.

`./dev lock` writes the list.
"""

import ast
import json
import os
import subprocess
from pathlib import Path

import pytest

LIST = Path("examples/selection/digits.bzl")
PACKAGES = ("kernels/cpu", "kernels/composite")
HEAD = '''"""What the selection digits.yaml comes to: base names of its operators and of those that they need.

Written by `./dev lock`; tests/selection/digits_test.py compares it with what the generator says.
"""

OPERATORS = [
'''


def value_of(path, name):
    """What a file of Starlark calls `name`."""
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id == name:
            return ast.literal_eval(statement.value)
    raise ValueError(f"{path} has no {name}")


@pytest.fixture(name="needed", scope="module")
def needed_operators(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    words = "codegen/cli/opweave gen --ops ops.yaml --derivatives derivatives.yaml"
    words += " --target kernels/cpu/target.yaml"
    words += " --select examples/selection/digits.yaml --kernel-calls kernels/calls.txt --out"
    subprocess.run([*words.split(), out], check=True)
    listed = json.loads((out / "opweave/operators.json").read_text())
    return sorted({operator["name"].partition(".")[0] for operator in listed})


def test_the_list_is_what_the_generator_says(needed):
    if "OPWEAVE_UPDATE" in os.environ:
        LIST.resolve().write_text(HEAD + "".join(f'    "{name}",\n' for name in needed) + "]\n")
        pytest.skip(f"wrote {LIST}")
    assert value_of(LIST, "OPERATORS") == needed, "run ./dev lock"


def left_out(package, selected):
    """The files that have kernels, and of none of these operators: as tools/codegen/kernels.bzl decides."""
    found = set()
    for file, uses in value_of(Path(package, "operators.bzl"), "USES").items():
        own = {name.rpartition("/")[2] for name in uses if name.startswith("kernels/")}
        if file.endswith(".cc") and own and own.isdisjoint(selected):
            found.add(file)
    return found


def symbols(objects, *options):
    command = ["nm", "--format=posix", *options, *objects]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.count(" ") >= 1}


@pytest.mark.parametrize("package", PACKAGES)
def test_what_stays_does_without_what_is_left_out(package, needed):
    go = left_out(package, set(needed))
    assert len(go) > 15
    rule = package.rpartition("/")[2]
    folders = tuple(f"{package}/_objs/{rule}_{file[:-3]}/" for file in go)
    objects = {path.as_posix() for path in Path(package, "_objs").glob("**/*.pic.o")}
    left = {path for path in objects if path.startswith(folders)}
    assert len(left) == len(go)
    kept = objects - left
    defined = symbols(left, "--defined-only", "--extern-only") - symbols(kept, "--defined-only")
    missing = symbols(kept, "--undefined-only") & defined
    assert not missing, "these are in files with kernels of other operators alone"
