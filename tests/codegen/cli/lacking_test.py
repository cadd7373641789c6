"""Files that a command line leaves out: gradients beside the operators, and an import of the same file."""

import json
import subprocess
from pathlib import Path

import pytest

OPWEAVE = Path("codegen/cli/opweave").resolve()
ENTRY = """\
- func: {name}(Tensor self) -> Tensor
  kernels: [cpu]
  result: self.sizes()
  samples: [{{self: real(2)}}]
"""
NAMES = ("first", "second", "third", "fourth")


@pytest.fixture
def library(tmp_path):
    (tmp_path / "ops.yaml").write_text("".join(ENTRY.format(name=name) for name in NAMES))
    return tmp_path


def run(folder, *words):
    return subprocess.run([OPWEAVE, *words], cwd=folder, capture_output=True, text=True)


def test_gradients_that_no_file_says_are_told_once(library):
    done = run(library, "check", "--ops", "ops.yaml")
    assert done.returncode == 1
    assert done.stderr == (
        "ops.yaml:1:9: error[OW0305]: 4 operators, of which this is the first, do not say how they are "
        "differentiated, and no derivatives.yaml was read\n"
        "    1 | - func: first(Tensor self) -> Tensor\n"
        "      |         ^~~~~\n"
        "note: name it: --derivatives FILE; opweave check finds the one beside ops.yaml\n"
        "1 error\n"
    )


def test_few_of_them_are_told_one_by_one(library):
    (library / "ops.yaml").write_text("".join(ENTRY.format(name=name) for name in NAMES[:3]))
    done = run(library, "check", "--ops", "ops.yaml", "--format=json")
    assert json.loads(done.stdout)["errors"] == 3


def test_gradients_are_found_beside_the_operators(library):
    text = "".join(f"- name: {name}\n  self: grad\n" for name in NAMES)
    (library / "derivatives.yaml").write_text(text)
    for command in ("check", "lint"):
        done = run(library, command, "--ops", "ops.yaml")
        assert (done.returncode, done.stderr) == (0, ""), command
    elsewhere = run(library.parent, "check", "--ops", library / "ops.yaml")
    assert (elsewhere.returncode, elsewhere.stderr) == (0, "")
    # What is generated is what the command line says.
    assert run(library, "gen", "--ops", "ops.yaml", "--out", "made").returncode == 1
    # One that is named takes its place.
    (library / "none.yaml").write_text("- name: first\n  self: grad\n")
    done = run(library, "check", "--ops", "ops.yaml", "--derivatives", "none.yaml")
    assert done.stderr.count("error[OW0305]") == 3


def test_a_file_is_not_imported_into_itself(library):
    (library / "derivatives.yaml").write_text(
        "".join(f"- name: {name}\n  self: grad\n" for name in NAMES)
    )
    done = run(library, "check", "--ops", "ops.yaml", "--import-ops", library / "ops.yaml")
    assert (done.returncode, done.stderr) == (0, "")
