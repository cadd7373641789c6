"""Names of libraries, of both forms: each library has a namespace, and conflicts name both entries."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from installed import BUILD, Installed, cube

COUNTING = Path("tests/objects").resolve()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def build(
    user: Installed, home: Path, name: str, entries: str, *words: str, **environment: str
) -> None:
    """A library of these entries, as the package `built/NAME`."""
    (home / name).mkdir(exist_ok=True)
    (home / name / "ops.yaml").write_text(entries)
    made = user.run(
        *BUILD,
        name,
        "--out",
        f"built/{name}",
        "--work",
        f"work/{name}",
        *words,
        cwd=home,
        **environment,
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
    ordinary = "# Its formula is its own.\n" + cube(expr=CUBE) + METHOD + TWICE + IN_MODULES
    build(user, home, "ordinary", ordinary)
    build(user, home, "other", cube(expr="self + self + self") + METHOD + TWICE)
    build(user, home, "later", "\n\n" + cube("rely"), "--stable")
    build(user, home, "later_ordinary", "\n\n" + cube("rely"))
    # The generator refuses names of the core that it knows; a later core may have more.
    manifest = home / "built/later/library.json"
    manifest.write_text(
        manifest.read_text().replace(
            '"name": "rely",\n   "function"', '"name": "relu",\n   "function"'
        )
    )
    replace_in_library(home / "built/later_ordinary", b"rely\0", b"relu\0")
    return home


CUBE = "self * self * self"
TWICE = """\
- func: twice_cubed(Tensor self) -> Tensor
  composite: cube(self) + cube(self)
  samples: {self: real}
"""


# As PyTorch names them: an operator `linalg_norm` is the function `norm` of the module `linalg`.
IN_MODULES = "".join(
    f"- func: {name}(Tensor self) -> Tensor\n  python_module: {module}\n  composite: cube(self)\n"
    "  samples: {self: real}\n"
    for module, name in [
        ("linalg", "linalg_cubed"),
        ("special", "as_cube"),
        ("fft", "fft_cubed"),
        ("nn", "third_power"),
    ]
)


def replace_in_library(package: Path, old: bytes, new: bytes) -> None:
    """Changes a text of a compiled library as if it had been built so."""
    manifest = json.loads((package / "library.json").read_text())
    library = package / manifest["library"]
    assert old in library.read_bytes()
    library.write_bytes(library.read_bytes().replace(old, new))
    manifest["sha256"] = hashlib.sha256(library.read_bytes()).hexdigest()
    (package / "library.json").write_text(json.dumps(manifest))


FORMS = {
    "stable": ("first", 2, "second"),
    "ordinary": ("ordinary", 2, "other"),
    "mixed": ("ordinary", 2, "second"),
    "mixed, stable first": ("first", 2, "other"),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_library_has_a_namespace(user: Installed, libraries: Path, form: str) -> None:
    one, line, two = FORMS[form]
    script = f"""
import opweave as ow, {one} as one
x = ow.tensor([2.0], requires_grad=True)
print(ow.cube(x).item(), x.cube().item(), one.cube(x).item(), ow.ops.{one}.cube(x).item())
print(ow.ops.{one}.cube, ow.ops.{one}.cube.default)
import {two} as two
print(one.cube(x).item(), two.cube(x).item(), ow.ops.{one}.cube(x).item(), ow.ops.{two}.cube(x).item())
for library in (ow.ops.{one}, ow.ops.{two}):
    (gradient,) = ow.autograd.grad(library.cube(x), x, create_graph=True)
    second = ow.autograd.grad(gradient, x)[0].item() if gradient.requires_grad else 0.0
    _, tangent = ow.func.jvp(library.cube, (x.detach(),), (ow.ones(1),))
    print(gradient.item(), second, tangent.item(), ow.func.vmap(library.cube)(ow.ones(2, 1)).tolist())
names = [n for n in ow._C._operator_names() if n.partition("::")[2].startswith("cube")]
print(sorted(n for n in names if "backward" not in n))
for call in (lambda: ow.cube(x), lambda: x.cube()):
    try:
        call()
    except RuntimeError as error:
        print(error)
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    both = (
        f"'cube' is an operator of several libraries, {one} ({one}/ops.yaml:{line}) and {two} "
        f"({two}/ops.yaml:1): call opweave.ops.{one}.cube or opweave.ops.{two}.cube"
    )
    names = [f"{library}::cube{form}" for library in (one, two) for form in ("", ".out", "_")]
    assert said == [
        "8.0 8.0 8.0 8.0",
        f"<OpOverloadPacket(op='{one}::cube')> <operator '{one}::cube'>",
        "8.0 6.0 8.0 6.0",
        "12.0 12.0 12.0 [[1.0], [1.0]]",
        "3.0 0.0 3.0 [[3.0], [3.0]]",
        str(sorted(names)),
        both,
        both,
    ]


def test_formulas_call_the_operators_of_their_library(user: Installed, libraries: Path) -> None:
    """Whichever was imported first."""
    for order in ("ordinary, other", "other, ordinary"):
        script = f"""
import opweave as ow
import {order}
x = ow.tensor([2.0], requires_grad=True)
for library in (ordinary, other):
    y = library.twice_cubed(x)
    print(y.item(), *ow.autograd.grad(y, x)[0].tolist())
"""
        said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
        assert said == ["16.0 24.0", "12.0 6.0"]


def test_functions_of_modules_are_there_for_users(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow
import opweave.linalg
import ordinary
from opweave import special
x = ow.tensor([2.0])
functions = [ow.linalg.cubed, ordinary.linalg_cubed, special.as_cube, ordinary.as_cube,
             ow.nn.functional.third_power, ordinary.third_power,
             ordinary.fft_cubed, ow.ops.ordinary.fft_cubed]
print(*(f(x).item() for f in functions))
print(hasattr(ow, "linalg_cubed"), hasattr(ow, "as_cube"), hasattr(ow, "fft"))
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said == ["8.0 " * 7 + "8.0", "False False False"]


def test_what_errors_and_profiles_call_them(user: Installed, libraries: Path) -> None:
    script = """
import opweave as ow, ordinary, other
from opweave.profiler import profile
x = ow.ones(2, requires_grad=True)
calls = {
    "type": lambda: ordinary.cube(1),
    "operator": lambda: ow.ops.ordinary.cube.default(1),
    "dtype": lambda: ordinary.cube(ow.ones(1, dtype=ow.int32)),
    "out": lambda: ow.ops.other.cube.out(x, out=x),
    "missing": lambda: ow.ops.ordinary.square,
}
for call in calls.values():
    try:
        call()
    except Exception as error:
        print(error)
with profile() as made:
    other.cube(x), ordinary.cube(x)
print([e.name for e in made.events() if "cube" in e.name])
print(ordinary.cube(x).grad_fn.name(), ow.ops.ordinary.cube.default.schema)
"""
    said = user.prints(script, libraries, PYTHONPATH="built").splitlines()
    assert said == [
        "cube(): argument 'input' (position 1) must be Tensor, not int",
        "cube(): argument 'self' (position 1) must be Tensor, not int",
        "\"cube\" not implemented for 'Int'",
        "cube(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.",
        "there is no operator 'ordinary::square'",
        "['other::cube', 'ordinary::cube']",
        "CubeBackward0 ordinary::cube(Tensor self) -> Tensor",
    ]


@pytest.mark.parametrize("words", [(), ("--stable",)], ids=["ordinary", "stable"])
def test_a_library_that_is_built_again_takes_its_own_names(
    user: Installed, tmp_path: Path, words: tuple[str, ...]
) -> None:
    for name, factor in (("once", 2), ("again", 3)):
        (tmp_path / name).mkdir()
        build(user, tmp_path / name, "mine", cube("times", f"self * {factor}") + METHOD, *words)
    script = """
import opweave as ow
from opweave._libraries import load
x = ow.ones(1)
for place in ("once", "again"):
    module = load(f"{place}/built/mine")
    print(module.times(x).item(), ow.times(x).item(), x.times().item(), ow.ops.mine.times(x).item())
"""
    assert user.prints(script, tmp_path).splitlines() == ["2.0 2.0 2.0 2.0", "3.0 3.0 3.0 3.0"]


@pytest.mark.parametrize("flags", ["RTLD_LOCAL", "RTLD_GLOBAL"])
def test_their_code_is_their_own(user: Installed, tmp_path: Path, flags: str) -> None:
    """Functions, tables and variables of one name, also where all of them are shown to each other."""
    for name, factor in (("one", 2), ("two", 3)):
        (tmp_path / name / "kernels").mkdir(parents=True)
        (tmp_path / name / "kernels/weighed.cc").write_text(KERNEL.replace("FACTOR", str(factor)))
        (tmp_path / name / "derivatives.yaml").write_text(
            f"- name: weighed\n  self: grad * {factor}\n"
        )
        build(user, tmp_path, name, WEIGHED)
    script = f"""
import os, sys, opweave as ow
sys.setdlopenflags(os.RTLD_NOW | os.{flags})
import one, two
for library in (one, two):
    x = ow.ones(1, requires_grad=True)
    y = library.weighed(x)
    y.backward()
    print(y.item(), library.weighed(x).item(), x.grad.item(), library.tripled(x).item())
"""
    said = user.prints(script, tmp_path, PYTHONPATH="built").splitlines()
    assert said == ["2.0 4.0 2.0 3.0", "3.0 6.0 3.0 3.0"]


WEIGHED = """\
- func: weighed(Tensor self) -> Tensor
  kernels: [cpu]
  dtypes: floating
  result: self.sizes()
  samples: {self: real}
- func: tripled(Tensor self) -> Tensor
  expr: self * 3
  dtypes: floating
  samples: {self: real}
"""
# It counts its calls in a variable of an inline function.
KERNEL = """\
#include "opweave/kernels/cpu/weighed.h"

#include "opweave/ops/copy_.h"
#include "opweave/ops/mul.h"

namespace mine {
inline int& calls() {
  static int count = 0;
  return count;
}
}  // namespace mine

namespace opweave::cpu {
void weighed(const Tensor& self, Tensor& result) {
  copy_(result, mul(self, FACTOR * ++mine::calls()));
}
}  // namespace opweave::cpu
"""


def test_types_of_objects_are_of_one_library(user: Installed, tmp_path: Path) -> None:
    """Which takes its own when it is built again."""
    for name, more in (("counting", 0), ("other", 1)):
        folder = tmp_path / name
        (folder / "kernels").mkdir(parents=True)
        for file in ("counter.h", "kernels.cc", "ops.yaml"):
            shutil.copy(COUNTING / file, folder / "kernels" / file)
        ops = (folder / "kernels/ops.yaml").read_text().replace("tests/objects/", "")
        kernels = (folder / "kernels/kernels.cc").read_text()
        (folder / "kernels/kernels.cc").write_text(
            kernels.replace("return *counter.count;", f"return *counter.count + {more};")
        )
        flags = {"CXXFLAGS": f"-I{folder}/kernels"}
        build(user, tmp_path, name, ops, "--name", "counting", **flags)
    again = ("--out", "built/other2", "--work", "work/other2")
    build(user, tmp_path, "other", ops, *again, **flags)
    script = """
import opweave as ow
from opweave._libraries import load
first = load("built/counting")
try:
    load("built/other2")
except ImportError as error:
    print(error)
print(hasattr(ow.ops, "other"))
again = load("built/other")
for library in (first, again):
    made = library.new_counter(3)
    print(again.counted(again.tick(made, ow.ones(1))), type(made) is again.Counter)
"""
    assert user.prints(script, tmp_path).splitlines() == [
        "the type of objects 'Counter' of other is already one of counting: give it another name",
        "False",
        "5 True",
        "5 True",
    ]


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


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [("ordinary", "ordinary_stable", "not "), ("ordinary_stable", "ordinary", "")],
)
def test_one_name_in_both_forms(
    user: Installed, libraries: Path, tmp_path: Path, before: str, after: str, told: str
) -> None:
    """Neither takes the place of the other, and nothing is registered."""
    build(user, tmp_path, "ordinary", cube("sphere"), "--stable")
    (tmp_path / "built/ordinary").rename(tmp_path / "built/ordinary_stable")
    shutil.copytree(libraries / "built/ordinary", tmp_path / "built/ordinary")
    script = f"""
import opweave as ow
from opweave._libraries import load
load("built/{before}")
known = sorted(ow._C._operator_names())
try:
    load("built/{after}")
except ImportError as error:
    print(error)
assert known == sorted(ow._C._operator_names())
"""
    assert user.prints(script, tmp_path) == (
        f"there is an operator library 'ordinary' already, which is {told}for every release: give one of "
        "them another name, or import one of them"
    )


@pytest.mark.parametrize("name", ["later", "later_ordinary"])
def test_conflicts_with_an_operator_of_the_core(
    user: Installed, libraries: Path, name: str
) -> None:
    lines = Path("ops.yaml").read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.startswith("- func: relu("))
    assert imports(user, libraries, name) == (
        f"the function or method 'relu' of {name} ({name}/ops.yaml:3) is already one of opweave "
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
    command = ["g++", "-shared", "-fPIC", f"-I{package}/include", "by_hand.cc", "-o", "by_hand.so"]
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
            "ordinary",
            "cube(Tensor x) -> Tensor",
            "",
            "the operator 'ordinary::cube' of ordinary (by_hand.cc:6) is already one of ordinary "
            "(ordinary/ops.yaml:2)",
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
    ow.ops.load_library("by_hand.so")
except ImportError as error:
    print(error)
assert sorted(ow._C._operator_names()) == known
"""
    said = user.prints(script, tmp_path, PYTHONPATH="built")
    assert said.startswith(told)
    assert said.endswith(": give it another name")
