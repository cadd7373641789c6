"""Names of libraries for every release: each library has a namespace, and conflicts name both entries."""

import shutil
import subprocess
from pathlib import Path

import pytest
from installed import BUILD, Installed, cube

SOURCES = Path("tests/wheel/stable").resolve()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def build(user: Installed, home: Path, name: str, entries: str, *words: str) -> None:
    """A library of these entries, as the package `built/NAME`."""
    (home / name).mkdir()
    (home / name / "ops.yaml").write_text(entries)
    made = user.run(
        *BUILD, name, *words, "--out", f"built/{name}", "--work", f"work/{name}", cwd=home
    )
    assert made.returncode == 0, made.stdout + made.stderr


METHOD = "  variants: function, method\n"


@pytest.fixture(scope="module")
def libraries(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("libraries")
    build(
        user, home, "first", "# The first.\n" + cube(expr="self * self * self") + METHOD, "--stable"
    )
    build(user, home, "second", cube(expr="self + self + self") + METHOD, "--stable")
    build(user, home, "ordinary", cube(expr="self - 1"))
    build(user, home, "later", "\n\n" + cube("rely"), "--stable")
    # The generator refuses names of the core that it knows; a later core may have more.
    manifest = home / "built/later/library.json"
    manifest.write_text(
        manifest.read_text().replace(
            '"name": "rely",\n   "function"', '"name": "relu",\n   "function"'
        )
    )
    return home


def test_each_library_has_a_namespace(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow, first
x = ow.tensor([2.0], requires_grad=True)
print(ow.cube(x).item(), x.cube().item(), first.cube(x).item(), ow.ops.first.cube(x).item())
print(ow.ops.first.cube)
import second
print(first.cube(x).item(), second.cube(x).item(), ow.ops.first.cube(x).item(), ow.ops.second.cube(x).item())
ow.ops.second.cube(x).backward()
print(x.grad.item(), sorted(n for n in ow._C._operator_names() if "cube" in n and "backward" not in n))
for call in (lambda: ow.cube(x), lambda: x.cube()):
    try:
        call()
    except RuntimeError as error:
        print(error)
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    both = (
        "'cube' is an operator of several libraries, first (first/ops.yaml:2) and second "
        "(second/ops.yaml:1): call opweave.ops.first.cube or opweave.ops.second.cube"
    )
    assert said == [
        "8.0 8.0 8.0 8.0",
        "<OpOverloadPacket(op='first::cube')>",
        "8.0 6.0 8.0 6.0",
        "3.0 ['first::cube', 'first::cube.out', 'first::cube_', 'second::cube', 'second::cube.out', "
        "'second::cube_']",
        both,
        both,
    ]


def test_a_library_that_is_built_again_takes_its_own_names(user: Installed, tmp_path: Path) -> None:
    for name, factor in (("once", 2), ("again", 3)):
        (tmp_path / name).mkdir()
        build(user, tmp_path / name, "mine", cube("times", f"self * {factor}") + METHOD, "--stable")
    script = """
import opweave as ow
from opweave._libraries import load
x = ow.ones(1)
for place in ("once", "again"):
    module = load(f"{place}/built/mine")
    print(module.times(x).item(), ow.times(x).item(), x.times().item(), ow.ops.mine.times(x).item())
"""
    assert user.prints(script, tmp_path).splitlines() == ["2.0 2.0 2.0 2.0", "3.0 3.0 3.0 3.0"]


def imports(user: Installed, libraries: Path, *names: str) -> str:
    """What the import of the last library says, those before being imported."""
    script = f"""
import {", ".join(["opweave as ow", *names[:-1]])}
def names():
    return sorted(ow._C._operator_names()), [n for n in dir(ow) if n[0] != "_"], dir(ow.Tensor)
before = names()
try:
    import {names[-1]}
except ImportError as error:
    print(error)
assert before == names()
"""
    return user.prints(script, libraries, PYTHONPATH="built")


def test_conflicts_with_a_library_without_a_namespace(user: Installed, libraries: Path) -> None:
    end = "give the operator another name"
    assert imports(user, libraries, "ordinary", "first") == (
        "the function or method 'cube' of first (first/ops.yaml:2) is already one of ordinary "
        f"(ordinary/ops.yaml:1): {end}"
    )
    assert imports(user, libraries, "second", "ordinary") == (
        "the function or method 'cube' of ordinary (ordinary/ops.yaml:1) is already one of second "
        f"(second/ops.yaml:1): {end}"
    )


def test_conflicts_with_an_operator_of_the_core(user: Installed, libraries: Path) -> None:
    lines = Path("ops.yaml").read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.startswith("- func: relu("))
    assert imports(user, libraries, "later") == (
        "the function or method 'relu' of later (later/ops.yaml:3) is already one of opweave "
        f"(ops.yaml:{line}): give the operator another name"
    )


HANDWRITTEN = """\
#include "opweave/stable/library.h"
using opweave::stable::Tensor;
static Tensor same(const Tensor& x) { return x; }
OPWEAVE_STABLE_LIBRARY(NAME, library) {
  library.define("same(Tensor x) -> Tensor").kernel("cpu", &same).at("by_hand.cc:5");
  library.define(SCHEMA).kernel("cpu", &same).at("by_hand.cc:6")MORE;
}
"""


def handwritten(user: Installed, folder: Path, name: str, schema: str, more: str = "") -> None:
    package = user.prints("import opweave; print(opweave.__path__[0])", folder)
    text = HANDWRITTEN.replace("NAME", name).replace("SCHEMA", f'"{schema}"').replace("MORE", more)
    (folder / "by_hand.cc").write_text(text)
    command = ["g++", "-shared", "-fPIC", f"-I{package}/include", "by_hand.cc", "-o", f"{name}.so"]
    subprocess.run(command, cwd=folder, check=True)


@pytest.mark.parametrize(
    ("before", "name", "schema", "more", "told"),
    [
        (
            "",
            "twice",
            "same(Tensor x) -> Tensor",
            "",
            "the operator 'twice::same' of twice (by_hand.cc:6) is already one of twice (by_hand.cc:5)",
        ),
        (
            '@library.custom_op("own::other", mutates_args=())\n'
            "def f(x: ow.Tensor) -> ow.Tensor: return x * 1",
            "own",
            "other(Tensor x) -> Tensor",
            "",
            "the operator 'own::other' of own (by_hand.cc:6) is already one of this program, which defined "
            "it",
        ),
        (
            "import ordinary",
            "all",
            "cube(Tensor x) -> Tensor",
            ".global()",
            "the operator 'cube' of all (by_hand.cc:6) is already one of ordinary (ordinary/ops.yaml:1)",
        ),
        (
            "",
            "core",
            "relu(Tensor x) -> Tensor",
            ".global()",
            "the operator 'relu' of core (by_hand.cc:6) is already one of opweave (ops.yaml:",
        ),
    ],
    ids=["itself", "program", "ordinary", "core"],
)
def test_conflicts_of_operators(
    user: Installed,
    libraries: Path,
    tmp_path: Path,
    before: str,
    name: str,
    schema: str,
    more: str,
    told: str,
) -> None:
    """Nothing is registered."""
    shutil.copytree(libraries / "built", tmp_path / "built")
    handwritten(user, tmp_path, name, schema, more)
    script = f"""
import opweave as ow
from opweave import library
{before}
known = sorted(ow._C._operator_names())
try:
    ow.ops.load_library("{name}.so")
except ImportError as error:
    print(error)
assert sorted(ow._C._operator_names()) == known
"""
    said = user.prints(script, tmp_path, PYTHONPATH="built")
    assert said.startswith(told)
    assert said.endswith(": give it another name")


def test_damaged_files(user: Installed, libraries: Path, tmp_path: Path) -> None:
    """Of what was written by half, or changed, nothing is loaded."""
    shutil.copytree(libraries / "built/first", tmp_path / "first")
    library = tmp_path / "first/first.so"
    whole = library.read_bytes()
    script = """
import opweave as ow
for load in (lambda: __import__("first"), lambda: ow.ops.load_library("first/first.so")):
    try:
        load()
    except (ImportError, OSError) as error:
        print(type(error).__name__, error)
assert not [n for n in ow._C._operator_names() if n.startswith("first")]
"""
    library.write_bytes(whole[: len(whole) // 2])
    said = user.prints(script, tmp_path).splitlines()
    assert said[0] == (
        f"ImportError {library}: not the file that was built: it is damaged, or library.json beside it is "
        "another library's; build the library again"
    )
    assert said[1] == f"OSError {library}: the file is cut off: build the library again"
    library.unlink()
    assert user.prints(script, tmp_path).splitlines()[0] == (
        f"ImportError {library}: No such file or directory"
    )


TABLES = """\
#include "opweave/stable/abi.h"
const OwLibrary* opweave_library(void) {{
  static const OwLibrary table = {{{size}, 1, 0, 0, {name}}};
  return {given};
}}
"""


@pytest.mark.parametrize(
    ("size", "name", "given"),
    [
        ("sizeof(OwLibrary)", '"t"', "0"),
        ("8", '"t"', "&table"),
        ("sizeof(OwLibrary)", "0", "&table"),
    ],
    ids=["none", "short", "nameless"],
)
def test_damaged_tables(user: Installed, tmp_path: Path, size: str, name: str, given: str) -> None:
    package = user.prints("import opweave; print(opweave.__path__[0])", tmp_path)
    (tmp_path / "t.c").write_text(TABLES.format(size=size, name=name, given=given))
    command = ["cc", "-shared", "-fPIC", f"-I{package}/include", "t.c", "-o", "t.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    script = """
import opweave as ow
try:
    ow.ops.load_library("t.so")
except ImportError as error:
    print(error)
"""
    assert user.prints(script, tmp_path) == f"{tmp_path}/t.so: its table of operators is damaged"
