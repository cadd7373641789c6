"""Operator libraries from an installed wheel: new, build, test, wheel and compile_ops."""

import json
import subprocess
from pathlib import Path

import pytest
from installed import BUILD, Installed, copy, cube


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


@pytest.fixture(scope="module")
def mine(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that `new` writes, built."""
    home = tmp_path_factory.mktemp("libraries")
    said = user.run(*BUILD, "new", "mine", cwd=home)
    assert said.stdout == "wrote mine; next: python -m opweave.build test mine\n", said.stderr
    built = user.run(*BUILD, "mine", cwd=home)
    assert built.returncode == 0, built.stderr
    assert built.stdout.startswith(f"built {home}/mine/build/mine in ")
    return home / "mine"


def test_a_library_is_used(user: Installed, mine: Path) -> None:
    script = """
import opweave as ow, mine
x = ow.tensor([1.0, 2.0, 6.0], dtype=ow.float64, requires_grad=True)
print(mine.moving_mean(x, 2).tolist(), ow.squareplus(x, b=0).tolist())
print(ow.autograd.gradcheck(lambda t: mine.moving_mean(t, 2), (x,)))
print(ow.func.vmap(mine.squareplus)(ow.ones(3, 2)).shape, ow.func.jacfwd(mine.squareplus)(ow.ones(2)).shape)
print(ow.ops.mine.hinge, dir(ow.ops.mine)[:2])
"""
    said = user.prints(script, mine.parent, PYTHONPATH=str(mine / "build")).splitlines()
    assert said == [
        "[1.5, 4.0] [1.0, 2.0, 6.0]",
        "True",
        "opweave.Size([3, 2]) opweave.Size([2, 2])",
        "<OpOverloadPacket(op='mine::hinge')> ['hinge', 'hinge_']",
    ]


def test_unchanged_files_are_not_compiled_again(user: Installed, mine: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in mine.glob("build/.work/*.o")}
    assert len(before) == 3
    (mine / "kernels/moving_mean.cc").touch()
    assert user.run(*BUILD, "mine", cwd=mine.parent).returncode == 0
    changed = [path.name for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert changed == [next(path.name for path in before if path.name.startswith("kernel_"))]


def test_the_tests_of_a_library(user: Installed, mine: Path, tmp_path: Path) -> None:
    said = user.run(*BUILD, "test", "mine", cwd=mine.parent)
    assert said.returncode == 0, said.stdout[-2000:]
    assert int(said.stdout.rpartition(" passed")[0].split()[-1]) > 100
    wrong = copy(mine, tmp_path / "wrong")
    rule = (wrong / "derivatives.yaml").read_text()
    assert ".transpose(dim, -1)\n" in rule
    (wrong / "derivatives.yaml").write_text(
        rule.replace(".transpose(dim, -1)\n", ".transpose(dim, -1) * 2\n")
    )
    said = user.run(*BUILD, "test", "wrong", "--pytest", "-k", "grad", cwd=tmp_path)
    assert said.returncode == 1
    assert "moving_mean" in said.stdout


def test_types(mine: Path) -> None:
    stub = (mine / "build/mine/__init__.pyi").read_text()
    assert "def moving_mean(input: Tensor, size: int, dim: int = -1," in stub
    assert "class TensorMethods" not in stub


def test_a_wheel_of_a_library(user: Installed, mine: Path, tmp_path: Path) -> None:
    said = user.run(*BUILD, "wheel", mine, "--out", tmp_path / "dist", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    (wheel,) = (tmp_path / "dist").glob("mine-0.1-cp311-*.whl")
    other = Installed(tmp_path / "other")
    other.install(wheel)
    assert other.prints("import mine; print(mine.__all__[0], mine.__file__)", tmp_path).startswith(
        "hinge "
    )
    metadata = next((tmp_path / "other").rglob("mine-0.1.dist-info/METADATA")).read_text()
    assert "Requires-Dist: opweave>=" in metadata


def test_an_extension_of_pytorch(user: Installed, mine: Path, tmp_path: Path) -> None:
    said = user.run(*BUILD, "torch", mine, cwd=tmp_path)
    assert said.stdout == (
        "wrote mine_torch; next, where PyTorch is: pip install --no-build-isolation ./mine_torch\n"
    ), said.stderr
    assert (tmp_path / "mine_torch/pyproject.toml").exists()
    assert "moving_mean" in (tmp_path / "mine_torch/csrc/kernels.cpp").read_text()
    other = copy(mine, tmp_path / "other")
    entry = "- func: f(Tensor x) -> Tensor[]\n  composite: x.split(1)\n  samples: [{x: real(2)}]\n"
    (other / "ops.yaml").write_text((other / "ops.yaml").read_text() + entry)
    said = user.refusal(*BUILD, "torch", "other", cwd=tmp_path)
    assert (
        "error[OW0601]: 'f' has a result that is a list, which cannot be emitted for PyTorch"
        in said
    )


def test_an_extension_of_pytorch_where_there_is_none(
    user: Installed, mine: Path, tmp_path: Path
) -> None:
    """What pip shows of setup.py, and what the import says."""
    assert user.run(*BUILD, "torch", mine, cwd=tmp_path).returncode == 0
    said = user.refusal("setup.py", "build_ext", cwd=tmp_path / "mine_torch")
    assert said == (
        "PyTorch cannot be imported, against which the operators are compiled (No module named 'torch'): "
        "'pip install torch' installs it; then 'pip install --no-build-isolation FOLDER' builds them\n"
    )
    said = user.refusal("-c", "import mine", cwd=tmp_path / "mine_torch")
    assert (
        "ImportError: mine needs PyTorch, which cannot be imported (No module named 'torch'): 'pip install "
        "torch' installs it" in said
    )


def test_a_package_for_jax(user: Installed, mine: Path, tmp_path: Path) -> None:
    said = user.run(*BUILD, "jax", mine, cwd=tmp_path)
    assert said.stdout == (
        "wrote mine_jax; next, where JAX is: pip install --no-build-isolation ./mine_jax\n"
    ), said.stderr
    assert "moving_mean" in (tmp_path / "mine_jax/csrc/kernels.cpp").read_text()
    said = user.refusal("setup.py", "build_ext", cwd=tmp_path / "mine_jax")
    assert said.startswith("JAX cannot be imported, whose headers the operators are compiled with")
    said = user.refusal("-c", "import mine_jax", cwd=tmp_path / "mine_jax")
    assert (
        "ImportError: mine_jax needs JAX, which cannot be imported (No module named 'jax'): 'pip install "
        "jax' installs it" in said
    )
    other = copy(mine, tmp_path / "other")
    entry = "- func: f(Tensor x) -> Tensor\n  composite: x.msort()\n  samples: [{x: real(2)}]\n"
    (other / "ops.yaml").write_text((other / "ops.yaml").read_text() + entry)
    assert (
        "error[OW0603]: 'f' has a formula that calls 'sort.stable' without a counterpart in JAX (by way of "
        "'msort'), which cannot be emitted for JAX"
        in user.refusal(*BUILD, "jax", "other", cwd=tmp_path)
    )


def test_compile_ops(user: Installed, tmp_path: Path) -> None:
    script = f"""
import opweave as ow
ops = ow.compile_ops({cube("cube")!r})
x = ow.tensor([1.0, 2.0], requires_grad=True)
ops.cube(x).sum().backward()
print(ops.cube(x).tolist(), x.grad.tolist(), ops.__name__)
"""
    expected = "[1.0, 8.0] [3.0, 12.0] ops_cube"
    assert user.prints(script, tmp_path) == expected
    # From the cache: with a ninja that would fail, were it run.
    ninja = tmp_path / "bin/ninja"
    ninja.parent.mkdir()
    ninja.write_text("#!/bin/sh\nexit 1\n")
    ninja.chmod(0o755)
    path = f"{ninja.parent}:{user.environment['PATH']}"
    assert user.prints(script, tmp_path, PATH=path) == expected
    other = script.replace("self * self", "2 * self")
    assert "BuildError" in user.refusal("-c", other, cwd=tmp_path, PATH=path)


def test_second_derivatives_of_sums_of_truth_values(user: Installed, tmp_path: Path) -> None:
    """To operators the sum of two truth values is one; a kernel, and so its second derivative, counts."""
    entry = """\
- func: counted(Tensor self, Tensor other) -> Tensor
  expr: "other * other * ((self > 0) + (self < 5))"
  dtypes: floating
  samples: {self: real, other: real}
"""
    script = f"""
import opweave as ow
counted = ow.compile_ops({entry!r}).counted
x, y = ow.tensor([1.0, 9.0]), ow.tensor([3.0, 3.0], requires_grad=True)
(first,) = ow.autograd.grad(counted(x, y).sum(), y, create_graph=True)
print(first.tolist(), ow.autograd.grad(first.sum(), y)[0].tolist())
"""
    assert user.prints(script, tmp_path) == "[12.0, 6.0] [4.0, 2.0]"


def test_a_library_that_is_edited_takes_its_own_place(user: Installed, tmp_path: Path) -> None:
    script = f"""
import opweave as ow
first = ow.compile_ops({cube("power")!r})
second = ow.compile_ops({cube("power", "self * self")!r})
x = ow.tensor([3.0])
print(second.power(x).item(), ow.power(x).item(), first.power(x).item(), first is second)
print(ow.compile_ops({cube("power", "self * self")!r}) is second)
"""
    assert user.prints(script, tmp_path).splitlines() == ["9.0 9.0 27.0 False", "True"]


def test_two_processes_build_it_once(user: Installed, tmp_path: Path) -> None:
    call = f"ow.compile_ops({cube('shared')!r}).shared(ow.tensor([2.0])).item()"
    script = f"import opweave as ow; print({call})"
    command = [str(user.python), "-c", script]
    environment = {**user.environment, "OPWEAVE_CACHE": str(tmp_path / "cache")}
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0] for process in both] == ["8.0\n"] * 3
    assert len(list((tmp_path / "cache").rglob("*.so"))) == 1


def test_threads_compile_at_once(user: Installed, tmp_path: Path) -> None:
    script = f"""
import threading, opweave as ow
found = []
def run(i):
    text = {cube("NAME")!r}.replace("NAME", f"threaded{{i % 2}}")
    try:
        made = ow.compile_ops(text)
        found.append(getattr(made, f"threaded{{i % 2}}")(ow.tensor([2.0])).item())
    except Exception as error:
        found.append(repr(error))
threads = [threading.Thread(target=run, args=(i,)) for i in range(6)]
[t.start() for t in threads], [t.join() for t in threads]
print(found)
"""
    said = user.prints(script, tmp_path, OPWEAVE_CACHE=str(tmp_path / "cache"))
    assert said == str([8.0] * 6)


def test_threads_that_take_it_from_the_cache_load_it_once(user: Installed, tmp_path: Path) -> None:
    """One thread loads it, and the others wait for that."""
    script = f"""
import threading, time, opweave as ow
from opweave.build import inline
text = {cube("once")!r}
meet, load, found = threading.Barrier(4), inline.load, []
loads = []
inline.load = lambda place: (loads.append(place), time.sleep(0.3), load(place))[2]
def run():
    meet.wait()
    found.append(ow.compile_ops(text))
threads = [threading.Thread(target=run) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
print(len(found), len(loads), found[0].once(ow.tensor([2.0])).item())
"""
    assert user.prints(script, tmp_path) == "4 1 8.0"


def test_the_generator_is_on_the_path(user: Installed, tmp_path: Path) -> None:
    said = subprocess.run(
        [user.bin / "opweave", "explain", "OW0102"], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("OW0102")


def test_commands_of_the_generator_know_the_core(
    user: Installed, mine: Path, tmp_path: Path
) -> None:
    changed = copy(mine, tmp_path / "changed")
    text = (changed / "ops.yaml").read_text()
    (changed / "ops.yaml").write_text(text.replace("int size, int dim=-1", "int size, int dim=0"))
    opweave = user.bin / "opweave"

    def said(*words: object) -> tuple[int, str]:
        result = subprocess.run(
            [opweave, *map(str, words)], capture_output=True, text=True, check=False
        )
        return result.returncode, result.stdout + result.stderr

    files = ("--ops", mine / "ops.yaml", "--derivatives", mine / "derivatives.yaml")
    assert said("check", *files) == (0, "")
    status, text = said("diff", mine, changed)
    assert (status, "moving_mean: argument 'dim' had the default -1 and has 0" in text) == (3, True)
    status, text = said("shapes", "moving_mean([N, 7], 3)", *files)
    assert (status, "[N, 5]" in text) == (0, True)
    assert said("docs", "--out", tmp_path / "docs", *files)[0] == 0
    assert "squareplus" in next((tmp_path / "docs/ops").glob("squareplus*")).read_text()


def test_editors_know_the_core(user: Installed, mine: Path) -> None:
    file = mine / "derivatives.yaml"
    document = {
        "uri": f"file://{file}",
        "languageId": "yaml",
        "version": 1,
        "text": file.read_text(),
    }
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    sent = "".join(f"Content-Length: {len(body.encode())}\r\n\r\n{body}" for body in bodies)
    said = subprocess.run(
        [user.bin / "opweave", "lsp"], input=sent, capture_output=True, text=True, check=True
    )
    assert '"result"' in said.stdout
    assert "unknown operator" not in said.stdout


def test_what_a_report_says(user: Installed, tmp_path: Path) -> None:
    said = user.run("-m", "opweave", cwd=tmp_path, OPWEAVE_TARGETS="", OMP_NUM_THREADS="1").stdout
    for word in (
        "Opweave 0.",
        "instruction set in use: ",
        "threads: 1 of ",
        "cpu: 1 device(s)",
        "lib/libopweave.so",
    ):
        assert word in said
    assert "OMP_NUM_THREADS=1" in said
    assert user.prints(
        "import opweave; print(opweave.__config__.show(), end='')", tmp_path
    ).startswith("Opweave 0.")


HANDWRITTEN = """
#include "opweave/ops/mul.h"
#include "runtime/library/library.h"

static opweave::Tensor scaled(const opweave::Tensor& self, {type} factor) {{
  return opweave::ops::mul_Scalar::call(self, opweave::Scalar(factor));
}}

OPWEAVE_LIBRARY(handwritten, library) {{
  library.define("scaled(Tensor self, float factor=2.0) -> Tensor");
  library.implement("scaled", "cpu", &scaled);
}}
"""


@pytest.mark.parametrize("type_", ["double", "int64_t"])
def test_operators_in_cpp_without_yaml(user: Installed, tmp_path: Path, type_: str) -> None:
    package = user.prints("import opweave; print(opweave.__path__[0])", tmp_path)
    (tmp_path / "scaled.cc").write_text(HANDWRITTEN.format(type=type_))
    command = ["g++", "-std=c++20", "-O1", "-shared", "-fPIC", "scaled.cc", "-o", "libscaled.so"]
    linked = [f"-I{package}/include", f"{package}/lib/libopweave.so"]
    subprocess.run([*command, *linked], cwd=tmp_path, check=True)
    script = """
import opweave as ow
try:
    ow.ops.load_library("libscaled.so")
    print(ow.ops.handwritten.scaled(ow.ones(2), 3.0).tolist(), ow.ops.handwritten.scaled(ow.ones(1)).item())
except ImportError as error:
    print(error)
"""
    said = user.prints(script, tmp_path)
    if type_ == "double":
        assert said == "[3.0, 3.0] 2.0"
    else:
        assert said == (
            "libscaled.so: operators could not be registered:\nscaled.cc:9: library 'handwritten': the "
            "kernel of "
            "'handwritten::scaled' takes its argument 2 as int, in its schema 'factor' is float: "
            "handwritten::scaled(Tensor self, float factor=2.0) -> Tensor"
        )


def test_an_operator_of_several_results(user: Installed, tmp_path: Path) -> None:
    """They have names in Python."""
    (tmp_path / "lib/kernels").mkdir(parents=True)
    (tmp_path / "lib/ops.yaml").write_text(
        """\
- func: ends(Tensor self) -> (Tensor first, Tensor last)
  kernels: [cpu]
  dtypes: floating
  differentiable: false
  batching: loop
  require:
    self.dim() == 1 && self.numel() > 0: "ends(): expected a vector with elements"
  result:
    first: []
    last: []
  samples:
    - {self: real(3)}
"""
    )
    (tmp_path / "lib/kernels/ends.cc").write_text(
        """\
#include "opweave/kernels/cpu/ends.h"

#include "opweave/ops/copy_.h"
#include "opweave/ops/select.h"

namespace opweave::cpu {
void ends(const Tensor& self, Tensor& first, Tensor& last) {
  copy_(first, select(self, 0, 0));
  copy_(last, select(self, 0, -1));
}
}  // namespace opweave::cpu
"""
    )
    script = (
        "import opweave as ow, lib; x = lib.ends(ow.arange(3.0)); print(x.last.item(), x[0].item())"
    )
    for words in ((), ("--stable",)):
        made = user.run(*BUILD, "lib", *words, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        assert user.prints(script, tmp_path, PYTHONPATH="lib/build") == "2.0 0.0"
