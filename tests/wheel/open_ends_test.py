"""What a build leaves open, defines twice or is older than: told with operator, file and what to do."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from installed import BUILD, Installed

ENTRY = """\
- func: f(Tensor self) -> Tensor
  kernels: [cpu]
  result: self.sizes()
  differentiable: false
  samples: [{self: real(2)}]
"""
KERNEL = """\
#include "opweave/kernels/cpu/f.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {
void f(const Tensor& self, Tensor& out) { out.data<double>()[0] = self.data<double>()[0]; }
}  // namespace opweave::cpu
"""
CALLING = KERNEL.replace(
    "namespace opweave::cpu {", "int helper(int);\nnamespace opweave::cpu {"
).replace("{ out", "{ helper(1); out")


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def library(folder: Path, **kernels: str) -> Path:
    place = folder / "mine"
    (place / "kernels").mkdir(parents=True)
    (place / "ops.yaml").write_text(ENTRY)
    for name, text in kernels.items():
        (place / "kernels" / f"{name}.cc").write_text(text)
    return place


CARET = "    1 | - func: f(Tensor self) -> Tensor\n      |         ^^^^^^^^^^^^^^^^^^^^^^^^\n"


def test_a_kernel_that_is_forgotten(user: Installed, tmp_path: Path) -> None:
    """Also where there was one before."""
    place = library(tmp_path, f=KERNEL)
    assert user.run(*BUILD, "mine", cwd=tmp_path).returncode == 0
    (place / "kernels/f.cc").rename(place / "f.cc")
    (place / "kernels/g.cc").write_text("// nothing\n")
    said = user.refusal(*BUILD, "mine", cwd=tmp_path)
    assert said.startswith(
        "mine/ops.yaml:1: error: the operator 'f' has no kernel for the target 'cpu': nothing defines\n"
        "    opweave::cpu::f(opweave::Tensor const&, opweave::Tensor&)\n"
        f"  which opweave/kernels/cpu/ declares\n{CARET}"
    )


def test_a_helper_that_nobody_defines(user: Installed, tmp_path: Path) -> None:
    library(tmp_path, f=CALLING)
    said = user.refusal(*BUILD, "mine", cwd=tmp_path)
    assert said == (
        "mine/ops.yaml:1: error: the kernel of 'f' calls helper(int), which mine/kernels/f.cc names, and "
        f"nothing defines it\n{CARET}"
        "  what is compiled is kernels/*.cc and kernels/cpu/: define it there, or name the library that "
        "has it in LDFLAGS\n"
    )
    assert not (tmp_path / "mine/build/mine").exists()


def test_a_helper_of_a_library(user: Installed, tmp_path: Path) -> None:
    library(tmp_path, f=CALLING.replace("helper(1)", "BZ2_bzDecompressEnd(nullptr)").replace(
        "int helper(int)", 'extern "C" int BZ2_bzDecompressEnd(void*)'))  # fmt: skip
    said = user.refusal(*BUILD, "mine", cwd=tmp_path)
    assert (
        "calls BZ2_bzDecompressEnd, which mine/kernels/f.cc names, and nothing defines it" in said
    )
    made = user.run(*BUILD, "mine", cwd=tmp_path, LDFLAGS="-l:libbz2.so.1.0")
    assert made.returncode == 0, made.stderr


def test_two_kernels_of_one_operator(user: Installed, tmp_path: Path) -> None:
    library(tmp_path, f=KERNEL, g=KERNEL)
    said = user.refusal(*BUILD, "mine", cwd=tmp_path)
    first, caret, _ = said.split("\n", 2)
    assert first.startswith(
        "mine/ops.yaml:1: error: the kernel of 'f' is defined twice, in mine/kernels/"
    )
    assert "mine/kernels/f.cc" in first
    assert "mine/kernels/g.cc" in first
    assert first.endswith(": keep one of them")
    assert caret == CARET.split("\n")[0]


def test_a_library_that_is_older_than_its_sources(user: Installed, tmp_path: Path) -> None:
    place = library(tmp_path, f=KERNEL)
    assert user.run(*BUILD, "mine", cwd=tmp_path).returncode == 0
    script = "import opweave, mine"
    fresh = user.run("-c", script, cwd=tmp_path, PYTHONPATH="mine/build")
    assert (fresh.returncode, fresh.stderr) == (0, "")
    (place / "ops.yaml").write_text(ENTRY + "  doc: Changed.\n")
    (place / "kernels/more.cc").write_text("// more\n")
    old = user.run("-c", script, cwd=tmp_path, PYTHONPATH="mine/build")
    assert old.returncode == 0
    assert (
        f"RuntimeWarning: the operator library 'mine' is older than its sources in {place}: "
        f"kernels/more.cc is new, ops.yaml is changed; build it again: python -m opweave.build {place}\n"
    ) in old.stderr
    assert user.run(*BUILD, "mine", cwd=tmp_path).returncode == 0
    assert user.run("-c", script, cwd=tmp_path, PYTHONPATH="mine/build").stderr == ""
    # A package that lies elsewhere is of nothing that could change.
    shutil.copytree(place / "build/mine", tmp_path / "elsewhere/mine")
    (place / "ops.yaml").write_text(ENTRY)
    assert user.run("-c", script, cwd=tmp_path, PYTHONPATH="elsewhere").stderr == ""


def test_a_record_that_is_damaged(user: Installed, tmp_path: Path) -> None:
    place = library(tmp_path, f=KERNEL)
    assert user.run(*BUILD, "mine", cwd=tmp_path).returncode == 0
    record = place / "build/.work/sources.json"
    for text in ("", "[]", "{}", json.dumps({"name": "mine", "files": 3})):
        record.write_text(text)
        done = user.run("-c", "import opweave, mine", cwd=tmp_path, PYTHONPATH="mine/build")
        assert (done.returncode, done.stderr) == (0, ""), text


def test_the_operators_of_opweave_itself(user: Installed, tmp_path: Path) -> None:
    """The wheel carries both files, and the command finds the second."""
    share = user.python.parent.parent / "lib/python3.11/site-packages/opweave/share"
    done = subprocess.run(
        [user.bin / "opweave", "check", "--ops", share / "ops.yaml"],
        cwd=tmp_path, env=user.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
