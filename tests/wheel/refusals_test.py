"""What goes wrong when operator libraries are built and loaded: each with its text, and nothing half done."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from installed import BUILD, Installed, copy, cube


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def template(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template")
    assert user.run(*BUILD, "new", "mine", cwd=home).returncode == 0
    return home / "mine"


@pytest.fixture(scope="module")
def built(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of a library `mine` with the operator `cube`."""
    home = tmp_path_factory.mktemp("built")
    (home / "mine").mkdir()
    (home / "mine/ops.yaml").write_text(cube())
    said = user.run(*BUILD, "mine", cwd=home)
    assert said.returncode == 0, said.stderr
    return home / "mine/build/mine"


def test_errors_of_the_yaml(user: Installed, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/ops.yaml").write_text(cube(expr="self * other"))
    said = user.refusal(*BUILD, "mine", cwd=tmp_path)
    assert said.startswith("mine/ops.yaml:2:16: error[OW")
    assert "\n      |                ^~~~~\n" in said
    assert not list(tmp_path.rglob("*.so"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "nowhere: there is no such folder\n"),
        (["empty"], "empty: there is no ops.yaml in it, which describes the operators of a library; "
                    "'python -m opweave.build new empty' writes one to start from\n"),
        (["new", "class"], "class: 'class' is no name for an operator library: expected letters, digits and "
                           "underscores, as of a Python module\n"),
        (["new", "opweave"], "opweave: 'opweave' is the name of the core: give the library another\n"),
        (["new", "full"], "full: exists already; name a folder that does not\n"),
        (["toml"], "toml/pyproject.toml: error: this is no TOML: Expected '=' after a key in a "
                   "key/value pair (at line "
                   "1, column 4)\n"),
    ],
)  # fmt: skip
def test_wrong_folders(user: Installed, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("full", "toml"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ops.yaml").write_text(cube())
    (tmp_path / "toml/pyproject.toml").write_text("no toml")
    assert user.refusal(*BUILD, *words, cwd=tmp_path) == message


KERNEL = "kernels/moving_mean.cc"
SIGNATURE = "void moving_mean(const Tensor& self, int64_t size, int64_t dim, Tensor& out) {"


def without_kernel(library: Path) -> None:
    (library / KERNEL).unlink()


def other_signature(library: Path) -> None:
    text = (library / KERNEL).read_text()
    assert SIGNATURE in text
    (library / KERNEL).write_text(
        text.replace("int64_t size, int64_t dim", "int size, int64_t dim")
    )


def unchecked(library: Path) -> None:
    text = (library / KERNEL).read_text()
    include = '#include "opweave/kernels/cpu/moving_mean.h"\n'
    assert include in text
    (library / KERNEL).write_text(text.replace(include, ""))


def does_not_compile(library: Path) -> None:
    text = (library / KERNEL).read_text()
    (library / KERNEL).write_text(text.replace("const Tensor in =", "const Tensor inn ="))


@pytest.mark.parametrize(
    ("spoil", "parts"),
    [
        (without_kernel, ["mine/ops.yaml:35: error: the operator 'moving_mean' has no kernel for the "
                          "target 'cpu'",
                          "   35 | - func: moving_mean(Tensor self, int size, int dim=-1) -> Tensor\n   "
                          "   |         ^^^"]),
        (other_signature, ["mine/ops.yaml:35: error: the operator 'moving_mean' has no kernel for the "
                           "target 'cpu'",
                           "moving_mean.cc has another signature:\n    "
                           "opweave::cpu::moving_mean(opweave::Tensor "
                           "const&, int, long, opweave::Tensor&)"]),
        (unchecked, ["mine/ops.yaml:35: error: ", "moving_mean.cc defines 'moving_mean', the kernel of "
                                                  "an operator"]),
        (does_not_compile, ["mine/ops.yaml:35: error: the kernel of 'moving_mean' does not compile\n",
                            "kernels/moving_mean.cc:", "was not declared in this scope"]),
    ],
)  # fmt: skip
def test_wrong_kernels(
    user: Installed, template: Path, tmp_path: Path, spoil: Callable[[Path], None], parts: list[str]
) -> None:
    spoil(copy(template, tmp_path / "mine"))
    said = user.refusal(*BUILD, "mine", cwd=tmp_path)
    for part in parts:
        assert part in said
    assert "Traceback" not in said
    assert not (tmp_path / "mine/build/mine").exists()


def test_what_is_generated_does_not_compile(user: Installed, tmp_path: Path) -> None:
    """Made to happen by a macro of the user's; the message leads to the entry."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/ops.yaml").write_text(cube())
    said = user.refusal(*BUILD, "mine", cwd=tmp_path, CXXFLAGS="-Dcube_loops=7")
    assert said.startswith(
        "mine/ops.yaml:1: error: what is generated for 'cube' does not compile\n    1 | - func: cube"
    )
    assert "the compiler's output:\n" in said


def tools(tmp_path: Path, *names: str) -> str:
    """A PATH with these programs and no other."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


@pytest.mark.parametrize("folder", ["plain", "a b", "it:7:s", "x(1)"])
@pytest.mark.parametrize(
    "form", ["{}:2:3: error: lacks", "{}(2): error: lacks", "{}:2: fatal error: lacks"]
)
def test_places_in_what_compilers_say(
    user: Installed, tmp_path: Path, folder: str, form: str
) -> None:
    """Those of gcc, clang and nvcc, whatever folders are called."""
    file = tmp_path / folder / "f.cc"
    file.parent.mkdir()
    file.write_text('#include "opweave/kernels/cpu/f.h"\nint f;\n')
    script = f"""
from pathlib import Path
from opweave.build.compiler_messages import explain
file, op = Path({str(file)!r}), dict(name="f", place="ops.yaml:1", derived=False)
print(explain({form!r}.format(file), Path("/generated"), [file], [op]).splitlines()[0])
"""
    said = user.prints(script, tmp_path)
    assert said == "ops.yaml:1: error: the kernel of 'f' does not compile"


HANDWRITTEN = """\
#include "opweave/kernels/cpu/f.h"
#include "opweave/kernels/cpu/g.h"
static void helper(const Tensor& g) {
  wrong(g);
}
void f(const Tensor& g, Tensor& out) {
  wrong(g);
}
void g(const Tensor& f, Tensor& out) {
  wrong(f);
}
"""
GENERATED = """\
// Generated from ops.yaml and derivatives.yaml. Do not edit.
struct f_backward_expr {
  wrong(g);
};
variable_list GBackward0::apply(variable_list&& f) {
  wrong(f);
}
void register_f() {
  wrong(ops::g::entry);
}
"""


@pytest.mark.parametrize(
    ("kind", "line", "name"),
    [("handwritten", 4, "f"), ("handwritten", 7, "f"), ("handwritten", 10, "g"),
     ("generated", 3, "f_backward"), ("generated", 6, "g"), ("generated", 9, "g")],
)  # fmt: skip
def test_of_several_operators_the_one_that_the_line_belongs_to(
    user: Installed, tmp_path: Path, kind: str, line: int, name: str
) -> None:
    """And not one that is called as an argument is."""
    file = tmp_path / f"{kind}.cc"
    file.write_text(HANDWRITTEN if kind == "handwritten" else GENERATED)
    script = f"""
from pathlib import Path
from opweave.build.compiler_messages import explain
names = ["f", "f_backward", "g"]
ops = [dict(name=n, place=f"ops.yaml:{{i}}", derived=n == "f_backward") for i, n in enumerate(names)]
file = Path({str(file)!r})
generated, kernels = (Path("/no"), [file]) if {kind!r} == "handwritten" else (file.parent, [])
print(explain(f"{{file}}:{line}:3: error: lacks", generated, kernels, ops).splitlines()[0])
"""
    assert f" '{name}' does not compile" in user.prints(script, tmp_path)


def test_no_nm(user: Installed, built: Path, tmp_path: Path) -> None:
    said = user.refusal(
        *(*BUILD, built.parents[1], "--work", tmp_path / "w"),
        cwd=tmp_path,
        PATH=tools(tmp_path, "g++", "ninja"),
    )
    assert said == (
        "there is no nm on the PATH, which lists what a library defines and calls: on Debian 'apt install "
        "binutils' installs it\n"
    )


def test_no_compiler(user: Installed, built: Path, tmp_path: Path) -> None:
    library = built.parents[1]
    said = user.refusal(
        *BUILD, library, "--work", tmp_path / "w", cwd=tmp_path, PATH=tools(tmp_path, "ninja")
    )
    assert said == (
        "there is no C++ compiler: looked for g++, c++, clang++ on the PATH, and CXX is not set; on "
        "Debian 'apt "
        "install g++' installs one\n"
    )
    said = user.refusal(*BUILD, library, "--work", tmp_path / "w", cwd=tmp_path, CXX="nothing++")
    assert said == "CXX=nothing++: there is no program 'nothing++' on the PATH\n"
    said = user.refusal(*BUILD, library, "--work", tmp_path / "w", cwd=tmp_path, CXX="ccc g++ -m64")
    assert said == "CXX=ccc g++ -m64: there is no program 'ccc' on the PATH\n"
    said = user.refusal(*BUILD, library, "--work", tmp_path / "w", cwd=tmp_path, CXX="false -m64")
    assert said.startswith("the C++ compiler '/usr/bin/false -m64' cannot compile C++20")
    said = user.refusal(*BUILD, library, "--work", tmp_path / "w", cwd=tmp_path, CXX="false")
    assert said.startswith(
        "the C++ compiler '/usr/bin/false' cannot compile C++20 with _Float16: status 1; expected "
        "gcc 12 or clang 15"
    )


def test_clang_gets_no_options_of_gcc(user: Installed, tmp_path: Path) -> None:
    clang = tmp_path / "clang++"
    refused = "*-fvect-cost-model*) echo unknown argument; exit 1"
    clang.write_text(f'#!/bin/sh\ncase "$*" in {refused};; esac\nexec g++ "$@"\n')
    clang.chmod(0o755)
    environment = {"OPWEAVE_CACHE": str(tmp_path / "cache"), "CXX": str(clang)}
    assert user.prints(COMPILE, tmp_path, **environment) == "8.0"


def test_no_ninja(user: Installed, built: Path, tmp_path: Path) -> None:
    said = user.refusal(
        *BUILD,
        built.parents[1],
        "--work",
        tmp_path / "w",
        cwd=tmp_path,
        PATH=tools(tmp_path, "g++"),
    )
    assert said == (
        "there is no ninja, which runs the compiler: 'pip install ninja' or 'apt install ninja-build' "
        "installs it\n"
    )


def test_no_permission(user: Installed, built: Path, tmp_path: Path) -> None:
    """Below /proc nobody can write, not even root."""
    said = user.refusal(*BUILD, built.parents[1], "--work", "/proc/work", cwd=tmp_path)
    assert said == "/proc/work: a library cannot be built there: No such file or directory\n"
    said = user.refusal(
        *BUILD, built.parents[1], "--work", tmp_path / "w", "--out", "/proc/mine", cwd=tmp_path
    )
    assert "the library cannot be written" in said


COMPILE = f"import opweave as ow; print(ow.compile_ops({cube()!r}).cube(ow.tensor([2.0])).item())"
FROM_FILE = "import opweave as ow; print(ow.compile_ops('cube.yaml').cube(ow.tensor([2.0])).item())"


def test_a_path_with_a_line_break(user: Installed, tmp_path: Path) -> None:
    (tmp_path / "a\nb").mkdir()
    (tmp_path / "a\nb/ops.yaml").write_text(cube())
    said = user.refusal(*BUILD, "a\nb", "--name", "mine", cwd=tmp_path)
    assert "b/build/.work': a path with a line break cannot be built" in said


def test_a_cache_that_cannot_be_written(user: Installed, tmp_path: Path) -> None:
    """What a file holds is built beside the cache, for this process alone."""
    (tmp_path / "cube.yaml").write_text(cube())
    scratch = tmp_path / "scratch"  # other processes have folders of theirs in /tmp
    scratch.mkdir()
    places = {"OPWEAVE_CACHE": "/proc/cache", "TMPDIR": str(scratch)}
    assert user.prints(FROM_FILE, tmp_path, **places) == "8.0"
    assert list(scratch.iterdir()) == []
    assert user.prints(COMPILE, tmp_path, **places) == "8.0"  # and of YAML
    twice = f"""
import os, sys
{FROM_FILE}
sys.stdout.flush()
if not (child := os.fork()):
    sys.exit()
os.waitpid(child, 0)
print(os.path.exists(ow.compile_ops("cube.yaml").__file__))
"""
    # A child of fork leaves what its parent still needs, which goes with the parent.
    said = user.prints(twice, tmp_path, **places)
    assert said.splitlines() == ["8.0", "True"]
    assert list(scratch.iterdir()) == []


@contextlib.contextmanager
def small_file_system(place: Path, size: str) -> Iterator[None]:
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this needs the permission to mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_full_cache(user: Installed, tmp_path: Path) -> None:
    with small_file_system(tmp_path / "cache", "100k"):
        said = user.refusal("-c", COMPILE, cwd=tmp_path, OPWEAVE_CACHE=str(tmp_path / "cache"))
        assert "No space left on device" in said or "no space left" in said
        assert "BuildError: " in said
        assert not list((tmp_path / "cache").rglob("library.json"))
    with small_file_system(tmp_path / "roomy", "8m"):
        assert user.prints(COMPILE, tmp_path, OPWEAVE_CACHE=str(tmp_path / "roomy")) == "8.0"


@pytest.mark.parametrize("spoilt", ["library.json", "ops_cube.so"])
@pytest.mark.parametrize("content", [b"", b"half of"])
def test_a_cache_that_is_damaged(
    user: Installed, tmp_path: Path, spoilt: str, content: bytes
) -> None:
    environment = {"OPWEAVE_CACHE": str(tmp_path / "cache")}
    assert user.prints(COMPILE, tmp_path, **environment) == "8.0"
    (file,) = (tmp_path / "cache").rglob(spoilt)
    file.write_bytes(content)
    assert user.prints(COMPILE, tmp_path, **environment) == "8.0"
    assert file.read_bytes() != content


def changed(manifest: dict, **changes: object) -> dict:
    return {**manifest, **changes}


# What a library says of itself -> why it is refused.
MANIFESTS = {
    "newer format": (
        lambda m: changed(m, format=99, opweave="9.0"),
        "made by opweave 9.0, whose libraries have format 99; this opweave 0.1.0 reads formats up to 2: "
        "update it, "
        "or build the library again",
    ),
    "interface": (
        lambda m: changed(m, interface=7),
        "the operator library 'mine' (cube) was built for opweave 0.1.0 and cannot run on opweave "
        "0.1.0: it has "
        "version 7 of the interface of libraries, this core knows version 2",
    ),
    "interface of before namespaces": (
        lambda m: changed(m, interface=1),
        "it has version 1 of the interface of libraries, this core knows version 2\nBuild it again: "
        "python -m opweave.build FOLDER",
    ),
    "operator that is gone": (
        lambda m: changed(m, uses={"gone.Tensor": "0"}),
        "operators that it calls have changed:\n  gone.Tensor: there is no such operator any more",
    ),
    "operator that is another": (
        lambda m: changed(m, uses={"mul.Tensor": "0"}),
        "operators that it calls have changed:\n  mul.Tensor: it is now mul.Tensor(Tensor self, Tensor "
        "other) -> Tensor",
    ),
    "layout": (
        lambda m: changed(m, classes={**m["classes"], "opweave::TensorImpl": "0"}),
        "classes that it is compiled with are laid out otherwise: opweave::TensorImpl\nBuild it again: "
        "python -m "
        "opweave.build FOLDER",
    ),
    "no layouts": (
        lambda m: changed(m, classes={}),
        "library.json: the manifest of an operator library is damaged: 'classes' is no mapping of classes",
    ),
    "older format": (
        lambda m: changed(m, format=1),
        "the operator library 'mine' (cube) was built for opweave 0.1.0 and cannot run on opweave 0.1.0: its "
        "library.json has format 1, whose layouts of classes nobody can compare any more",
    ),
    "part that lacks": (
        lambda m: {key: value for key, value in m.items() if key != "uses"},
        "library.json: the manifest of an operator library is damaged: it has no 'uses'",
    ),
    "no manifest": (lambda m: [1], "library.json: the manifest of an operator library is damaged: it "
                                   "has no format"),
    "other library": (
        lambda m: changed(m, sha256="0"),
        "mine.so: not the file that was built: it is damaged, or library.json beside it is another library's",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", MANIFESTS)
def test_libraries_of_other_cores(user: Installed, built: Path, tmp_path: Path, kind: str) -> None:
    change, message = MANIFESTS[kind]
    package = tmp_path / "mine"
    shutil.copytree(built, package)
    manifest = json.loads((package / "library.json").read_text())
    (package / "library.json").write_text(json.dumps(change(manifest)))
    script = "import opweave as ow\ntry: import mine\nexcept ImportError as e: print(e, hasattr(ow, 'cube'))"
    said = user.prints(script, tmp_path)
    assert message in said
    assert said.endswith(" False")  # nothing is registered


def test_names_of_the_core(user: Installed, tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core/ops.yaml").write_text(cube("relu", "self"))
    said = user.refusal(*BUILD, "core", cwd=tmp_path)
    assert "relu" in said


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ow.compile_ops(7)", "TypeError: compile_ops(): ops: expected a path or YAML as a string, got int"),
        ("ow.compile_ops('no.yaml')", "BuildError: compile_ops(): ops: there is no file 'no.yaml'"),
        ("ow.compile_ops('- func: f(Tensor self) -> Tensor\\n', kernels='k.cc')",
         "TypeError: compile_ops(): kernels: expected a list of paths, got one; put it into a list"),
        ("ow.compile_ops('- func: f(Tensor self) -> Tensor\\n', kernels=['k.cc'])",
         "BuildError: compile_ops(): kernels: there is no file 'k.cc'"),
        ("ow.compile_ops('- func: f(Tensor self) -> Tensor\\n', name='a b')",
         "BuildError: compile_ops(): 'a b' is no name for an operator library"),
        ("ow.compile_ops('- func: f(Tensor self) -> Tensor\\n', name='ab' * 150)",
         "BuildError: compile_ops(): expected a name of at most 100 letters for an operator library, got "
         "300: 'abababababababababab...'"),
        ("ow.compile_ops('- func: f(Tensor self) -> Tensor\\n', targets=['cpu', 't' * 300])",
         "BuildError: compile_ops(): targets: expected names of targets of at most 100 letters, got 300: "
         "'tttttttttttttttttttt...'"),
        ("ow.compile_ops('- func: f(Tensor self) -> Tenosr\\n')", "did you mean 'Tensor'?"),
    ],
)  # fmt: skip
def test_arguments_of_compile_ops(user: Installed, tmp_path: Path, call: str, message: str) -> None:
    assert message in user.refusal("-c", f"import opweave as ow; {call}", cwd=tmp_path)


def test_a_core_that_cannot_compare(user: Installed, built: Path, tmp_path: Path) -> None:
    """Without its list of layouts it refuses, and builds nothing that says it needs none."""
    shutil.copytree(built, tmp_path / "mine")
    text = cube("uncompared")
    script = f"""
import opweave, opweave._libraries as libraries, pathlib
libraries._CLASSES = pathlib.Path("gone.json")
for act in (lambda: __import__("mine"), lambda: opweave.compile_ops({text!r})):
    try: act()
    except ImportError as error: print(error)
"""
    said = user.prints(script, tmp_path, OPWEAVE_CACHE=str(tmp_path / "cache")).splitlines()
    assert len(said) == 2
    for line in said:
        assert line.startswith("gone.json: how the core's classes are laid out cannot be read: ")
        assert line.endswith("; install opweave again")
