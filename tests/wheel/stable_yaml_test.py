"""Libraries of YAML for every release: formulas, handwritten kernels, gradients, errors of building."""

import shutil
import subprocess
from pathlib import Path

import pytest
from installed import BUILD, Installed

KINDS = Path("tests/codegen/emit/kinds").resolve()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


def build(user: Installed, folder: Path, name: str) -> None:
    """Makes the package `name` of the folder `name` beside it, in `folder/built`."""
    words = ("--stable", "--out", f"built/{name}", "--work", f"work/{name}")
    made = user.run(*BUILD, name, *words, cwd=folder)
    assert made.returncode == 0, made.stdout + made.stderr


def exported(library: Path) -> list[str]:
    command = ["nm", "-D", "--defined-only", "--format=just-symbols", library]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def needed_of_the_core(library: Path) -> list[str]:
    command = ["nm", "-DC", "--undefined-only", library]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if "opweave" in line or "hwy" in line]


@pytest.fixture(scope="module")
def libraries(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that `new` writes, and one with an operator of each kind, in `built`."""
    home = tmp_path_factory.mktemp("libraries")
    assert user.run(*BUILD, "new", "mine", cwd=home).returncode == 0
    more = shutil.ignore_patterns("more*")  # what other frameworks have alone
    shutil.copytree(KINDS, home / "kinds", ignore=more)
    for name in ("mine", "kinds"):
        build(user, home, name)
    return home


@pytest.mark.parametrize("name", ["mine", "kinds"])
def test_they_need_nothing_of_the_core(libraries: Path, name: str) -> None:
    library = libraries / "built" / name / f"{name}.so"
    assert exported(library) == ["opweave_library"]
    assert needed_of_the_core(library) == []


@pytest.mark.parametrize("name", ["mine", "kinds"])
def test_the_tests_of_opweaves_own_operators(user: Installed, libraries: Path, name: str) -> None:
    """Values, gradients in both directions and of both orders, batches, layouts, forms, without data."""
    said = user.run(*BUILD, "test", name, "--stable", cwd=libraries)
    assert said.returncode == 0, said.stdout[-4000:] + said.stderr[-2000:]
    assert int(said.stdout.rpartition(" passed")[0].split()[-1]) > 100


def test_of_each_kind(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow, mine, kinds
from opweave.autograd import gradcheck, gradgradcheck
x = ow.tensor([1.0, 2.0, 6.0, 4.0], dtype=ow.float64, requires_grad=True)
rows = ow.tensor([[1.0, 2.0], [6.0, 4.0]], dtype=ow.float64, requires_grad=True)
print(mine.moving_mean(x, 2).tolist(), mine.root_mean_square(rows, dim=[1]).tolist())
for f, given in ((lambda t: mine.moving_mean(t, 2), x), (mine.root_mean_square, rows), (kinds.center, rows)):
    assert gradcheck(f, (given,)) and gradgradcheck(f, (given,))
out = ow.empty(0, dtype=ow.float64)
assert mine.moving_mean(x.detach(), 2, out=out) is out
assert mine.root_mean_square(rows.detach(), out=(o := ow.empty(0, dtype=ow.float64))) is o
print(out.tolist(), o.item(), mine.moving_mean(ow.empty(3, 8, device="meta"), 3, 0).shape)
value, index = kinds.peak(x)
value.backward()
print(index, index.requires_grad, x.grad.tolist(), kinds.halves(x.detach()).negative.tolist())
print(ow.func.vmap(kinds.total)(rows).tolist(), ow.func.vmap(lambda t: mine.moving_mean(t, 2))(rows).tolist())
print(ow.func.jvp(lambda t: mine.moving_mean(t, 2), (x.detach(),), (ow.ones_like(x),))[1].tolist())
print(ow.ops.mine.moving_mean(x, 4).tolist(), [n for n in dir(ow.ops.mine) if "backward" not in n][:3],
      mine.moving_mean(x, 4).grad_fn.name())
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said == [
        "[1.5, 4.0, 5.0] [1.5811388300841898, 5.0990195135927845]",
        "[1.5, 4.0, 5.0] 3.774917217635375 opweave.Size([1, 8])",
        "tensor(2) False [0.0, 0.0, 1.0, 0.0] [0.0, 0.0, 0.0, 0.0]",
        "[3.0, 10.0] [[1.5], [5.0]]",
        "[1.0, 1.0, 1.0]",
        "[3.25] ['hinge', 'hinge_', 'is_near'] MovingMeanBackward0",
    ]


def test_tangents_have_no_history_of_their_own(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow, mine
x, v = ow.tensor([1.0, 2.0]), ow.ones(2)
print(ow.func.jvp(mine.hinge, (x, -x), (v, v))[1].requires_grad)
leaf = x.clone().requires_grad_()
tangent = ow.func.jvp(mine.hinge, (leaf, -x), (v, v))[1]
print(tangent.tolist(), ow.autograd.grad(tangent.sum(), leaf)[0].tolist())
print(ow.func.grad(lambda t: ow.func.jvp(mine.hinge, (t, -x), (v, v))[1].sum())(x).tolist())
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said == ["False", "[0.0, 0.0] [-1.0, -1.0]", "[-1.0, -1.0]"]


def test_tangents_are_rounded_as_gradients_are(user: Installed, libraries: Path) -> None:
    """Elements by elements both are the same numbers; also where an argument is expanded, and in place."""
    script = """
import opweave as ow, mine, kinds
from opweave.func import grad, jvp, vmap
x = ow.linspace(-9, 9, 200)
for dtype in (ow.float16, ow.bfloat16, ow.float64):
    t = x.to(dtype)
    ones, along = ow.ones_like(t), jvp(mine.squareplus, (t,), (ow.ones_like(t),))[1]
    slopes = grad(lambda t: mine.squareplus(t).sum())(t)
    print(dtype, along.tolist() == slopes.tolist(),
          jvp(lambda t: mine.squareplus_(t.clone()), (t,), (ones,))[1].tolist() == slopes.tolist(),
          vmap(lambda v: jvp(mine.squareplus, (t,), (v,))[1])(ow.stack([ones, 2 * ones]))[0].tolist()
          == slopes.tolist())
row, column = ow.ones(3, dtype=ow.float64), ow.arange(2.0, dtype=ow.float64)[:, None]
f = lambda r, c: kinds.muladd(r, c, c, 2.0)
print(jvp(f, (row, column), (row, column))[1].tolist(), f(row, column).tolist())
wide = ow.tensor(3.0, dtype=ow.float64)
print(jvp(f, (row.float(), wide), (row.float(), wide))[1])
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said[:3] == [f"opweave.{t} True True True" for t in ("float16", "bfloat16", "float64")]
    assert said[3:] == [
        "[[0.0, 0.0, 0.0], [5.0, 5.0, 5.0]] [[0.0, 0.0, 0.0], [3.0, 3.0, 3.0]]",
        "tensor([15., 15., 15.])",
    ]


def test_numbers_that_an_int64_does_not_hold(user: Installed, libraries: Path) -> None:
    """A Scalar of 2**63 or more, for the loops of an expression and handed to the operators of a formula."""
    script = """
import opweave as ow, mine, kinds
x = ow.tensor([0.0, 1.0], dtype=ow.float64)
for n in (2**63, 2**64 - 1):
    print(mine.squareplus(x, b=n).tolist() == (0.5 * (x + (x * x + float(n)).sqrt())).tolist())
    found = kinds.muladd(x, x, x, n)
    print(found.tolist() == (x * x * float(n) + x).tolist(), found[1].item() > 0)
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said == ["True", "True True"] * 2


def test_errors_are_those_of_the_core(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow, mine, kinds
for call in (lambda: mine.moving_mean(ow.ones(4), 0), lambda: mine.moving_mean(ow.ones(4), 5),
             lambda: mine.moving_mean(ow.ones(4, dtype=ow.int32), 2),
             lambda: mine.moving_mean(ow.ones(4), 2, 3),
             lambda: mine.moving_mean(ow.ones(4), 2, out=ow.empty(3, dtype=ow.float64)),
             lambda: mine.root_mean_square(ow.ones(2, dtype=ow.int64)),
             lambda: ow.func.vmap(kinds.total)(ow.ones(2, 1, 1, 1)),
             lambda: mine.moving_mean(ow.ones(4), "two"),
             lambda: kinds.halves(ow.ones(2), out=ow.ones(2)),
             lambda: mine.is_near(ow.ones(2), ow.ones(2), output=ow.ones(2))):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said[:4] == [
        "ValueError moving_mean(): size has to be positive, got 0",
        "RuntimeError moving_mean(): a window of 5 does not fit into the 4 elements of dimension 0",
        "NotImplementedError \"moving_mean\" not implemented for 'Int', the dtype of argument 'self'",
        "IndexError Dimension out of range (expected to be in range of [-1, 0], but got 3)",
    ]
    assert said[4] == (
        "RuntimeError moving_mean(): Expected out tensor to have dtype float, but got double instead"
    )
    assert said[5].startswith("NotImplementedError \"root_mean_square\" not implemented for 'Long'")
    assert said[6] == "RuntimeError total(): expected at most two dimensions, got 3"
    assert said[7].startswith("TypeError")
    assert "size" in said[7]
    assert (
        said[8] == "TypeError halves(): 'out' has to be 2 tensors: positive, negative, not Tensor"
    )
    assert said[9].startswith("TypeError")
    assert "output" in said[9]


KERNEL = """\
- func: lifted(Tensor self, float by) -> Tensor
  kernels: [cpu]
  dtypes: floating
  result: self.sizes()
  differentiable: false
  samples: {self: real, by: 0.5}
"""
CODE = """\
#include "opweave/kernels/cpu/lifted.h"

#include "opweave/ops/add.h"
#include "opweave/ops/copy_.h"

namespace opweave::cpu {
void lifted(const Tensor& self, double by, Tensor& out) { copy_(out, add(self, by)); }
}  // namespace opweave::cpu
"""


def refused(user: Installed, folder: Path, code: str, entry: str = KERNEL) -> str:
    """What the build of a library with this kernel says; no package is made."""
    (folder / "lib/kernels").mkdir(parents=True)
    (folder / "lib/ops.yaml").write_text(entry)
    (folder / "lib/kernels/lifted.cc").write_text(code)
    said = user.refusal(*BUILD, "lib", "--stable", cwd=folder)
    assert not (folder / "lib/build/lib").exists()
    return said


def test_kernels_call_operators(user: Installed, tmp_path: Path) -> None:
    (tmp_path / "lib/kernels").mkdir(parents=True)
    (tmp_path / "lib/ops.yaml").write_text(KERNEL)
    (tmp_path / "lib/kernels/lifted.cc").write_text(CODE)
    build(user, tmp_path, "lib")
    script = """
import opweave as ow, lib
found = lib.lifted(ow.ones(2, requires_grad=True), 0.5)
print(found.tolist(), found.requires_grad)
"""
    assert user.prints(script, tmp_path, PYTHONPATH="built") == "[1.5, 1.5] False"


def test_a_kernel_that_is_missing(user: Installed, tmp_path: Path) -> None:
    said = refused(user, tmp_path, CODE.replace("void lifted(", "static void lift("))
    # The compiler warns first of the function that nobody calls.
    found = "\nlib/ops.yaml:1: error: the operator 'lifted' has no kernel for the target 'cpu'"
    assert found in said
    assert "opweave/kernels/cpu/ declares" in said


def test_a_kernel_of_another_signature(user: Installed, tmp_path: Path) -> None:
    said = refused(user, tmp_path, CODE.replace("double by", "float by"))
    assert said.startswith(
        "lib/ops.yaml:1: error: the operator 'lifted' has no kernel for the target 'cpu'"
    )
    assert "opweave::cpu::lifted(opweave::Tensor const&, double, opweave::Tensor&)" in said
    assert (
        "kernels/lifted.cc has another signature:\n"
        "    opweave::cpu::lifted(opweave::Tensor const&, float, opweave::Tensor&)" in said
    )


def test_a_kernel_that_does_not_compile(user: Installed, tmp_path: Path) -> None:
    said = refused(user, tmp_path, CODE.replace("add(self, by)", "add(self, bye)"))
    assert said.startswith("lib/ops.yaml:1: error: the kernel of 'lifted' does not compile\n")
    assert "lifted.cc:7" in said
    assert "bye" in said


def test_a_kernel_that_needs_the_core(user: Installed, tmp_path: Path) -> None:
    """Headers of classes change: what a kernel includes of the core is looked at."""
    said = refused(user, tmp_path, '#include "runtime/core/tensor/tensor_impl.h"\n' + CODE)
    assert said.startswith(
        "lib/kernels/lifted.cc:1:11: error[OW0602]: a kernel of a library for every release cannot include "
        "'runtime/core/tensor/tensor_impl.h', which later releases may change\n"
        '    1 | #include "runtime/core/tensor/tensor_impl.h"\n'
    )
    (tmp_path / "beside").mkdir()
    said = refused(user, tmp_path / "beside", CODE.replace("ops/add.h", "ops/ad.h"))
    assert (
        "lib/kernels/lifted.cc:3:11: error[OW0602]: a kernel of a library for every release cannot call 'ad'"
        in said
    )


def test_kernels_for_other_hardware(user: Installed, tmp_path: Path) -> None:
    assert user.run(*BUILD, "new", "gpus", "--like", "cuda", cwd=tmp_path).returncode == 0
    said = user.refusal(*BUILD, "gpus", "--stable", cwd=tmp_path)
    assert (
        said
        == "a library for every release is for the CPU alone, not for cuda: build it without --stable\n"
    )


def test_what_nobody_may_differentiate_by(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow, kinds
x, w = ow.ones(2), ow.ones(2)
kinds.weighed(x.requires_grad_(), w).sum().backward()
print(x.grad.tolist())
for call in (
    lambda: kinds.weighed(x, ow.ones(2, requires_grad=True)),
    lambda: ow.func.grad(lambda v: kinds.weighed(x.detach(), v).sum())(w),
    lambda: ow.func.jvp(lambda v: kinds.weighed(x.detach(), v), (w,), (w,)),
):
    try:
        print(call())
    except RuntimeError as error:
        print(error)
"""
    said = user.run("-c", script, cwd=libraries / "built")
    assert said.returncode == 0, said.stderr
    refused = (
        "The function 'kinds::weighed' is not differentiable with respect to argument 'weight'."
    )
    recorded = f"{refused} This input cannot have requires_grad True."
    assert said.stdout.splitlines() == [
        "[1.0, 1.0]",
        recorded,
        recorded,
        f"{refused} This input cannot have a tangent.",
    ]
