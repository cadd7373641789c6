"""What the compiler is told by the environment, and what it says of kernels."""

from pathlib import Path

import pytest
from installed import BUILD, Installed, cube

_OPS = """\
- func: doubled(Tensor self) -> Tensor
  kernels: [cpu]
  dtypes: [float64]
  result: self.sizes()
  differentiable: false
  batching: same
  samples: [{self: real(2)}]
"""
_KERNEL = """\
#include "opweave/kernels/cpu/doubled.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cpu {
void doubled(const Tensor& self, Tensor& out) {
  const Tensor in = opweave::contiguous(self);
  for (int64_t i = 0; i < in.numel(); ++i)
    static_cast<double*>(out.raw_data())[i] = 2 * static_cast<const double*>(in.raw_data())[i];
}
}  // namespace opweave::cpu
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With two libraries: `mine` is an expression, `own` a handwritten kernel."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/ops.yaml").write_text(cube())
    (tmp_path / "own/kernels").mkdir(parents=True)
    (tmp_path / "own/ops.yaml").write_text(_OPS)
    (tmp_path / "own/kernels/doubled.cc").write_text(_KERNEL)
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("variable", ["CXX", "CXXFLAGS", "LDFLAGS"])
def test_words_that_no_shell_could_read(user: Installed, home: Path, variable: str) -> None:
    said = user.refusal(*BUILD, "mine", cwd=home, **{variable: "-DNAME='x"})
    assert (
        said == f"{variable}=-DNAME='x: cannot be read as words of a shell: No closing quotation\n"
    )


def test_a_program_that_compiles_nothing(user: Installed, home: Path) -> None:
    said = user.refusal(*BUILD, "mine", cwd=home, CXX="/bin/true")
    assert said == (
        f"the C++ compiler '/bin/true' says nothing and has not written "
        f"{home}/mine/build/.work/mine.linked.so: it is none, or one that CXX names with options that keep "
        "it from compiling\n"
    )


def test_a_compiler_that_brings_its_own_cpp_library(user: Installed, home: Path) -> None:
    """Errors of Opweave would end the process; libraries for every release pass them on as numbers."""
    said = user.refusal(*BUILD, "mine", cwd=home, LDFLAGS="-static-libstdc++")
    assert said.endswith(
        "puts a C++ library of its own into what it links (-static-libstdc++), which cannot pass on the "
        "errors of Opweave's: they would end the program. Name another compiler in CXX, or take the option "
        "out of LDFLAGS; with --stable it does no harm\n"
    )
    assert not (home / "mine/build/mine").exists()
    built = user.run(*BUILD, "mine", "--stable", cwd=home, LDFLAGS="-static-libstdc++")
    assert built.returncode == 0, built.stderr
    script = """
import opweave as ow, mine
try:
    mine.cube(ow.ones(2, dtype=ow.int64), 1)
except TypeError as error:
    print(type(error).__name__)
"""
    path = str(home / "mine/build")
    assert user.prints(script, home, PYTHONPATH=path) == "TypeError"


def test_what_the_linker_says(user: Installed, home: Path) -> None:
    said = user.refusal(*BUILD, "mine", cwd=home, LDFLAGS="-lnothing_of_that_name")
    assert said.startswith("error: the linker says\n  cannot find -lnothing_of_that_name")


@pytest.mark.parametrize(
    ("header", "other", "hint"),
    [
        ("opweave/ops/contiguous.h", "opweave/ops/contigous.h",
         "there is no operator 'contigous'; did you mean 'contiguous'?"),
        ("opweave/kernels/cpu/doubled.h", "opweave/kernels/cpu/double.h",
         "there is no operator 'double' with a handwritten kernel for 'cpu'; did you mean 'doubled'?"),
    ],
)  # fmt: skip
def test_a_header_of_an_operator_that_is_not_there(
    user: Installed, home: Path, header: str, other: str, hint: str
) -> None:
    edit(home / "own/kernels/doubled.cc", header, other)
    said = user.refusal(*BUILD, "own", cwd=home)
    assert f" {other}: No such file or directory\n  {hint}\n" in said


def test_warnings_of_kernels_are_shown(user: Installed, home: Path) -> None:
    edit(
        home / "own/kernels/doubled.cc", "  const Tensor in", "  int unused = 3;\n  const Tensor in"
    )
    said = user.run(*BUILD, "own", cwd=home)
    assert said.returncode == 0, said.stderr
    assert "own/kernels/doubled.cc:6:7: warning: unused variable" in said.stderr
    edit(home / "own/kernels/doubled.cc", "  int unused = 3;\n", "")
    assert user.run(*BUILD, "own", cwd=home).stderr == ""
