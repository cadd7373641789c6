"""Where libraries are built, and when what was built is used again: nothing goes, nothing is stale."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from installed import BUILD, Installed, cube

KERNEL = """\
#include "factor.h"
#include "opweave/kernels/cpu/stretched.h"
namespace opweave::cpu {
void stretched(const Tensor& self, Tensor& out) {
  for (int64_t i = 0; i < self.numel(); ++i)
    static_cast<float*>(out.raw_data())[i] = kFactor * static_cast<const float*>(self.raw_data())[i];
}
}  // namespace opweave::cpu
"""
ENTRY = """\
- func: stretched(Tensor self) -> Tensor
  kernels: [cpu]
  dtypes: [float32]
  result: self.sizes()
  differentiable: false
  samples: {self: real}
"""
SELECTED = "operators: [cube]\n"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def library(folder: Path, ops: str = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "ops.yaml").write_text(ops or cube())
    return folder


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "mine"], "mine: cannot be the folder of the package, which a build replaces: "
                            "mine/ops.yaml is in it, of which the library is built; name another folder\n"),
        (["--out", "."], ": cannot be the folder of the package, which a build replaces: mine/ops.yaml is"),
        (["--out", "dist"], "dist: is not empty and holds no library 'mine' that was built before, so that "
                            "nothing there is replaced; name another folder\n"),
        (["--out", "other"], "other: is not empty and holds no library 'mine' that was built before"),
        (["--work", "dist"], "dist: is not empty and no build has worked there, so that nothing there is "
                             "touched; name another folder for generated files and objects\n"),
        (["--work", "mine"], "mine: cannot be the folder for generated files, which a build replaces: "),
        (["--out", "new", "--work", "new/work"], "new: cannot be the folder of the package, which a build "
                                                 "replaces: it holds "),
    ],
)  # fmt: skip
def test_what_lies_in_a_folder_stays(
    user: Installed, tmp_path: Path, words: list[str], message: str
) -> None:
    library(tmp_path / "mine")
    for name in ("dist", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "library.json").write_text('{"name": "another"}')
        (tmp_path / name / "notes.txt").write_text("mine")
    (tmp_path / "dist/library.json").unlink()
    before = sorted(tmp_path.rglob("*"))
    assert message in user.refusal(*BUILD, "mine", *words, cwd=tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["json", "operators", "results", "torch"])
def test_names_of_other_modules(user: Installed, tmp_path: Path, name: str) -> None:
    library(tmp_path / "mine")
    for words in (["new", name], ["mine", "--name", name]):
        said = user.refusal(*BUILD, *words, cwd=tmp_path)
        assert (
            f"'{name}' is the name of a module that Python programs import: a library of that"
            in said
        )


def test_a_library_may_be_called_work(user: Installed, tmp_path: Path) -> None:
    library(tmp_path / "work")
    for _ in range(2):
        assert user.run(*BUILD, "work", cwd=tmp_path).returncode == 0
    script = "import opweave as ow, work; print(work.cube(ow.tensor([2.0])).item())"
    assert user.prints(script, tmp_path, PYTHONPATH=str(tmp_path / "work/build")) == "8.0"


def test_a_header_of_a_kernel_that_is_edited(user: Installed, tmp_path: Path) -> None:
    mine = library(tmp_path / "mine", ENTRY)
    (mine / "kernels").mkdir()
    (mine / "kernels/stretched.cc").write_text(KERNEL)
    call = "print(ow.compile_ops('mine').stretched(ow.tensor([2.0])).item())"
    for factor, expected in (("3", "6.0"), ("5", "10.0")):
        (mine / "kernels/factor.h").write_text(f"constexpr float kFactor = {factor};\n")
        assert user.prints(f"import opweave as ow; {call}", tmp_path) == expected


@pytest.mark.parametrize(
    "environment",
    [
        {"CXXFLAGS": "-Iheaders"},
        {"CXXFLAGS": "-isystem headers"},
        {"CPATH": "headers"},
        {"CPLUS_INCLUDE_PATH": "nothing:headers"},
    ],
    ids=lambda environment: " ".join(environment.values()),
)
def test_a_header_of_another_folder_that_is_edited(
    user: Installed, tmp_path: Path, environment: dict[str, str]
) -> None:
    mine = library(tmp_path / "mine", ENTRY)
    (mine / "kernels").mkdir()
    (mine / "kernels/stretched.cc").write_text(KERNEL.replace('"factor.h"', "<factor.h>"))
    (tmp_path / "headers").mkdir()
    absolute = {k: v.replace("headers", str(tmp_path / "headers")) for k, v in environment.items()}
    call = "print(ow.compile_ops('mine').stretched(ow.tensor([2.0])).item())"
    for factor, expected in (("3", "6.0"), ("5", "10.0")):
        (tmp_path / "headers/factor.h").write_text(f"constexpr float kFactor = {factor};\n")
        assert user.prints(f"import opweave as ow; {call}", tmp_path, **absolute) == expected


def test_a_copy_of_a_library_names_its_own_lines(user: Installed, tmp_path: Path) -> None:
    script = """
import json, pathlib, sys, opweave as ow
made = ow.compile_ops(sys.argv[1], name="copied")
print(json.loads(pathlib.Path(made.__file__).with_name("library.json").read_text())["operators"][0]["place"])
"""
    (tmp_path / "ask.py").write_text(script)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ops.yaml").write_text(cube())
        said = user.run("ask.py", f"{name}/ops.yaml", cwd=tmp_path)
        assert said.stdout == f"{name}/ops.yaml:1\n", said.stderr


def test_of_two_versions_the_one_that_is_asked_for_is_there(
    user: Installed, tmp_path: Path
) -> None:
    script = f"""
import opweave as ow
texts = [{cube("power")!r}, {cube("power", "self * self")!r}]
x = ow.tensor([3.0])
for text in (texts[0], texts[1], texts[0], texts[0], texts[1]):
    made = ow.compile_ops(text)
    print(made.power(x).item(), ow.power(x).item(), ow.ops.ops_power.power(x).item())
"""
    cubes, squares = "27.0 27.0 27.0", "9.0 9.0 9.0"
    assert user.prints(script, tmp_path).splitlines() == [cubes, squares, cubes, cubes, squares]


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '"library": "a\\u0000b.so"'],
    ids=["deeper than a stack", "with a zero in a path"],
)
def test_a_cache_with_a_manifest_that_nobody_wrote(
    user: Installed, tmp_path: Path, content: str
) -> None:
    call = f"ow.compile_ops({cube()!r}).cube(ow.tensor([2.0])).item()"
    environment = {"OPWEAVE_CACHE": str(tmp_path / "cache")}
    assert user.prints(f"import opweave as ow; print({call})", tmp_path, **environment) == "8.0"
    (file,) = (tmp_path / "cache").rglob("library.json")
    manifest = json.loads(file.read_text())
    name = f'"library": "{manifest["library"]}"'
    text = file.read_text()
    assert name in text
    file.write_text(text.replace(name, content) if "library" in content else content)
    assert user.prints(f"import opweave as ow; print({call})", tmp_path, **environment) == "8.0"


def test_for_another_core_all_is_compiled_again(user: Installed, tmp_path: Path) -> None:
    mine = library(tmp_path / "mine")
    assert user.run(*BUILD, "mine", cwd=tmp_path).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in mine.glob("build/.work/*.o")}
    package = Path(user.prints("import opweave; print(opweave.__path__[0])", tmp_path))
    # Its headers are as old as they were: a core of before, installed again.
    os.utime(package / "lib/libopweave.so", (1, 1))
    assert user.run(*BUILD, "mine", cwd=tmp_path).returncode == 0
    assert before
    assert all(path.stat().st_mtime_ns != time for path, time in before.items())


def test_an_extension_of_pytorch_with_some_operators(user: Installed, tmp_path: Path) -> None:
    mine = library(tmp_path / "mine", cube() + cube("other", "self + 1") + ENTRY)
    (mine / "kernels").mkdir()
    (mine / "kernels/stretched.cc").write_text(KERNEL)
    (mine / "kernels/factor.h").write_text("constexpr float kFactor = 2;\n")
    (tmp_path / "some.yaml").write_text(SELECTED)
    out = tmp_path / "mine_torch"

    def files() -> set[str]:
        return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}

    assert user.run(*BUILD, "torch", "mine", cwd=tmp_path).returncode == 0
    whole = files()
    assert {"csrc/handwritten/stretched.cpp", "csrc/handwritten/factor.h"} <= whole
    said = user.run(*BUILD, "torch", "mine", "--select", "some.yaml", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    operators = json.loads((out / "operators.json").read_text())
    assert {op["name"] for op in operators if not op["derived"]} == {"cube"}
    # What was there for the others is not compiled any more.
    assert whole - files() >= {"csrc/handwritten/stretched.cpp", "csrc/kernels.cpp"}
    (tmp_path / "full").mkdir()
    (tmp_path / "full/pyproject.toml").write_text("mine")
    said = user.refusal(*BUILD, "torch", "mine", "--out", "full", cwd=tmp_path)
    assert said.endswith(
        "full: is not empty and has no generated_files.txt by which files were generated there before: "
        "name another folder\n"
    )
    assert (tmp_path / "full/pyproject.toml").read_text() == "mine"


def test_kernels_for_cuda_in_folders_below(user: Installed, tmp_path: Path) -> None:
    mine = library(tmp_path / "mine", ENTRY.replace("[cpu]", "[cpu, cuda]"))
    (mine / "kernels/cuda/deep").mkdir(parents=True)
    (mine / "kernels/stretched.cc").write_text(KERNEL)
    (mine / "kernels/cuda/deep/on_gpu.cc").write_text("\n")
    assert user.run(*BUILD, "torch", "mine", cwd=tmp_path).returncode == 0
    assert (tmp_path / "mine_torch/csrc/handwritten_cuda/on_gpu_host.cpp").exists()
    assert not (tmp_path / "mine_torch/csrc/handwritten/on_gpu.cpp").exists()


def test_where_an_extension_lies_is_told_to_pip(user: Installed, tmp_path: Path) -> None:
    library(tmp_path / "mine")
    said = user.run(*BUILD, "torch", "mine", "--out", tmp_path / "a b", cwd=tmp_path).stdout
    assert said.endswith(f"pip install --no-build-isolation '{tmp_path}/a b'\n")


def test_a_wheel_that_cannot_be_written(user: Installed, tmp_path: Path) -> None:
    library(tmp_path / "mine")
    said = user.refusal(*BUILD, "wheel", "mine", "--out", "/proc/dist", cwd=tmp_path)
    assert said == "/proc/dist: the library cannot be written: No such file or directory\n"


def start_build(user: Installed, cwd: Path, *words: str) -> subprocess.Popen:
    """A build in a process group of its own."""
    return subprocess.Popen(
        [user.python, *BUILD, *words], cwd=cwd, env=user.environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def of_two(user: Installed, library: Path) -> str:
    script = f"import opweave as ow, {library.name}; print(ow.cube(ow.tensor(2.0)).item())"
    return user.prints(script, library, PYTHONPATH=str(library / "build"))


def test_a_build_that_is_killed_leaves_nothing_to_import(user: Installed, tmp_path: Path) -> None:
    """And the next one goes on in its folder."""
    library = tmp_path / "killed"
    library.mkdir()
    (library / "ops.yaml").write_text(cube())
    build = start_build(user, tmp_path, "killed")
    while not (library / "build/.work/build.ninja").exists():
        assert build.poll() is None
        time.sleep(0.01)
    os.killpg(build.pid, signal.SIGKILL)
    build.communicate()
    assert not (library / "build/killed").exists()
    assert user.run(*BUILD, "killed", cwd=tmp_path).returncode == 0
    assert of_two(user, library) == "8.0"


def test_two_builds_of_a_folder_at_once(user: Installed, tmp_path: Path) -> None:
    library = tmp_path / "shared"
    library.mkdir()
    (library / "ops.yaml").write_text(cube())
    builds = [start_build(user, tmp_path, "shared") for _ in range(2)]
    said = [build.communicate() for build in builds]
    assert [build.returncode for build in builds] == [0, 0], said
    assert of_two(user, library) == "8.0"
