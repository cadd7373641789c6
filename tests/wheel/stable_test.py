"""Libraries for every release: the stable interface, from C and from C++ of other compilers."""

import subprocess
from pathlib import Path

import pytest
from installed import Installed

SOURCES = Path("tests/wheel/stable").resolve()
CLANG = ("clang++", "-std=c++17", "-O3", "-fvisibility=hidden", "-fno-rtti", "-march=x86-64")
GCC = ("g++", "-std=c++20", "-O0", "-D_GLIBCXX_DEBUG")
# A source of before does not name the members that structs have got since.
C = ("cc", "-std=c11", "-O2", "-Wno-missing-field-initializers")
USE = """
import opweave as ow
try:
    ow.ops.load_library("library.so")
except ImportError as error:
    raise SystemExit(f"refused: {error}")
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def headers(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> str:
    package = user.prints(
        "import opweave; print(opweave.__path__[0])", tmp_path_factory.mktemp("at")
    )
    return f"-I{package}/include"


def build(source: str | Path, folder: Path, headers: str, *words: str) -> Path:
    library = folder / "library.so"
    warnings = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*words, *warnings, headers, SOURCES / source, "-o", library], check=True)
    return library


def symbols(library: Path, which: str) -> list[str]:
    lines = subprocess.run(
        ["nm", "-DC", which, library], capture_output=True, text=True, check=True
    )
    return [line.split(maxsplit=1)[-1] for line in lines.stdout.splitlines()]


def refused(user: Installed, folder: Path) -> str:
    """What the import says, and that nothing is registered."""
    script = USE.replace('raise SystemExit(f"refused: {error}")', "print(error)")
    return user.prints(
        f"{script}\nassert not [n for n in ow._C._operator_names() if n[:8] in ('by_hand:', 'elements')]",
        folder,
    )


def own_symbols(library: Path) -> list[str]:
    """What it shows of ours: functions of the standard library on pointers to our classes do no harm."""
    command = ["nm", "-D", "--defined-only", "--format=just-symbols", library]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [n for n in names if not n.startswith("_Z") or "N7opweave" in n[:9]]


@pytest.mark.parametrize("compiler", [CLANG, GCC], ids=["clang", "gcc"])
def test_cpp_of_another_compiler(
    user: Installed, tmp_path: Path, headers: str, compiler: tuple[str, ...]
) -> None:
    library = build("by_hand.cc", tmp_path, headers, *compiler)
    assert not [s for s in symbols(library, "--undefined-only") if "opweave" in s]
    # What is inline in the headers is no other library's, which may have those of another release.
    assert own_symbols(library) == ["opweave_library"]
    script = """
f = ow.ops.by_hand.scaled
x = ow.tensor([[1.0, -2.0], [3.0, 4.0]], dtype=ow.float64, requires_grad=True)
print(f(x, 3.0).tolist(), f(x.float()).dtype, f(x).grad_fn.name())
assert ow.autograd.gradcheck(lambda t: f(t, 2.5), (x,)) and ow.autograd.gradgradcheck(f, (x,))
assert ow.func.vmap(f)(x).tolist() == f(x).tolist()
assert ow.func.jvp(f, (x.detach(),), (ow.ones_like(x),))[1].tolist() == [[2, 2], [2, 2]]
assert f(x.detach().to("meta")).shape == (2, 2)
y, numbers = ow.ops.by_hand.flattened([x], "word")
y.sum().backward()
print(numbers, x.grad.tolist(), ow.ops.by_hand.flattened([x])[1])
try:
    f(x, 0.0)
except ValueError as error:
    print(error)
try:
    f(x, "two")
except TypeError as error:
    print(str(error).splitlines()[0])
"""
    said = user.prints(USE + script, tmp_path).splitlines()
    assert said[:3] == [
        "[[3.0, -6.0], [9.0, 12.0]] opweave.float32 ScaledBackward0",
        "[4, 2] [[1.0, 1.0], [1.0, 1.0]] [-1, 2]",
        "scaled(): the factor is 0, expected another number",
    ]
    assert "factor" in said[3]


@pytest.mark.parametrize("size", ["sizeof(OwOperator)", "offsetof(OwOperator, handle)"])
def test_tables_in_c(user: Installed, tmp_path: Path, headers: str, size: str) -> None:
    """Also with a table as a release had it that did not know the last member."""
    library = build("elements.c", tmp_path, headers, *C, f"-DOPERATOR_SIZE={size}")
    assert symbols(library, "--defined-only") == ["T opweave_library"]
    script = """
e = ow.ops.elements
x = ow.tensor([[-1.0, 3.0], [0.5, 2.0]], dtype=ow.float64, requires_grad=True)
print(e.softsign(x).tolist(), e.softsign(x.half()).dtype, e.softsign(x[:, 1].float()).tolist())
assert ow.autograd.gradcheck(lambda t: e.softsign(t, scale=2), (x,))
assert ow.autograd.gradcheck(lambda t: e.softsign_(t * 1, scale=2), (x,))
assert ow.func.vmap(e.softsign)(x).tolist() == e.softsign(x).tolist()
y, out = x.detach().clone(), ow.empty(0, dtype=ow.float64)
version = y._version
assert e.softsign_(y) is y and y._version == version + 1
assert e.softsign.out(x.detach(), out=out) is out and out.tolist() == y.tolist()
assert e.softsign(x.detach().to("meta")).shape == (2, 2)
tangent = ow.func.jvp(e.softsign, (x.detach(),), (ow.ones_like(x),))[1]
assert ow.allclose(tangent, 1 / (1 + x.detach().abs()) ** 2)
twice = lambda: ow.func.grad(ow.func.grad(lambda t: e.softsign(t).sum()))(x.detach()[0, 0])
for call in (lambda: e.softsign_(x), lambda: e.softsign.out(x, out=out), lambda: e.softsign(x.int()), twice):
    try:
        call()
    except (RuntimeError, TypeError) as error:
        print(str(error).splitlines()[0])
"""
    said = user.prints(USE + script, tmp_path).splitlines()
    assert said[0] == (
        "[[-0.5, 0.75], [0.3333333333333333, 0.6666666666666666]] opweave.float16 [0.75, 0.6666666865348816]"
    )
    assert "leaf Variable that requires grad" in said[1]
    assert "softsign(): functions with out=... arguments don't support" in said[2]
    assert "softsign" in said[3]
    assert "Int" in said[3]
    # A tangent needs the gradient alone; a gradient of that this library does not have.
    assert "'elements::_softsign_backward' is not implemented" in said[4]


OF_A_LIBRARY = "the operator library 'by_hand' (scaled, flattened) cannot run on this opweave: "


def test_a_later_interface(user: Installed, tmp_path: Path, headers: str) -> None:
    build("by_hand.cc", tmp_path, headers, *GCC, "-DMINOR=7")
    said = refused(user, tmp_path)
    assert said.startswith(OF_A_LIBRARY)
    assert said.endswith(
        "it needs version 1.7 of the stable interface, this core has 1.1: update opweave"
    )


def test_another_interface(user: Installed, tmp_path: Path, headers: str) -> None:
    build("elements.c", tmp_path, headers, *C, "-DMAJOR=2")
    assert refused(user, tmp_path) == (
        "the operator library 'elements' (softsign, softsign_, softsign.out) was built for opweave 0.1.0 and "
        "cannot run on this opweave: it has version 2 of the stable interface, this core has version 1: "
        "build it again"
    )


def test_tangents_of_what_is_differentiated_through(
    user: Installed, tmp_path: Path, headers: str
) -> None:
    """Also where a backward pass is recorded as well: the kernels of both are passed."""
    build("by_hand.cc", tmp_path, headers, *GCC)
    script = """
from opweave.autograd import forward_ad
x = ow.tensor([1.0, 2.0], dtype=ow.float64, requires_grad=True)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(x, ow.full_like(x, 3.0))
    print(forward_ad.unpack_dual(ow.ops.by_hand.flattened([dual])[0]).tangent.tolist())
"""
    assert user.prints(USE + script, tmp_path) == "[3.0, 3.0]"


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("mul.Gone(Tensor self) -> Tensor", "mul.Gone: there is no such operator"),
        (
            "mul.Scalar(Tensor self, int other) -> Tensor",
            "mul.Scalar(Tensor self, int other) -> Tensor: it is now mul.Scalar(Tensor self, Scalar other) "
            "-> Tensor",
        ),
    ],
)
def test_operators_that_changed(
    user: Installed, tmp_path: Path, headers: str, schema: str, why: str
) -> None:
    build("by_hand.cc", tmp_path, headers, *GCC, f'-DMUL="{schema}"')
    said = refused(user, tmp_path)
    assert said.startswith(OF_A_LIBRARY)
    assert said.endswith(f"operators that it calls have changed:\n  {why}\nBuild it again")


def test_an_operator_that_grew(user: Installed, tmp_path: Path, headers: str) -> None:
    """A caller that knows fewer arguments calls it with the defaults of the others, and its own."""
    schema = "clone(Tensor self) -> Tensor"
    (tmp_path / "old.cc").write_text(
        f"""#include "opweave/stable/library.h"
static opweave::stable::Operator copied("{schema}");
static opweave::stable::Operator total("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor");
static opweave::stable::Tensor f(const opweave::stable::Tensor& x) {{ return total(copied(x)); }}
OPWEAVE_STABLE_LIBRARY(old, library) {{ library.define("f(Tensor x) -> Tensor").kernel("cpu", &f); }}
"""
    )
    command = [*GCC, "-shared", "-fPIC", headers, "old.cc", "-o", "library.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    script = """
x = ow.ones(3, requires_grad=True)
y = ow.ops.old.f(x)
y.backward()
print(y.item(), x.grad.tolist())
"""
    assert user.prints(USE + script, tmp_path) == "3.0 [1.0, 1.0, 1.0]"


def test_two_libraries_in_one_process(user: Installed, tmp_path: Path, headers: str) -> None:
    """Neither sees what the other was compiled with."""
    build("by_hand.cc", tmp_path, headers, *GCC).rename(tmp_path / "first.so")
    text = (SOURCES / "by_hand.cc").read_text().replace("LIBRARY(by_hand", "LIBRARY(by_hand_too")
    (tmp_path / "too.cc").write_text(text)
    build(tmp_path / "too.cc", tmp_path, headers, *CLANG)
    script = """
ow.ops.load_library("first.so")
x = ow.ones(2, requires_grad=True)
for f in (ow.ops.by_hand.scaled, ow.ops.by_hand_too.scaled):
    y = f(x, 3.0)
    y.sum().backward()
    print(y.tolist(), x.grad.tolist())
"""
    said = user.prints(USE + script, tmp_path).splitlines()
    assert said == ["[3.0, 3.0] [3.0, 3.0]", "[3.0, 3.0] [6.0, 6.0]"]


def test_a_kernel_that_does_not_fit(user: Installed, tmp_path: Path, headers: str) -> None:
    build("by_hand.cc", tmp_path, headers, *GCC, "-DFACTOR=int64_t")
    assert refused(user, tmp_path).endswith(
        "scaled: the kernel of 'by_hand::scaled' takes its argument 2 as int, in its schema 'factor' is "
        "float: by_hand::scaled(Tensor self, float factor=2.0) -> Tensor"
    )


# What a library's C++ takes for something else, and what is told.
MISTAKES = {
    "as_double": "TypeError: a value of kind 1 was read as float",
    "as_int": "TypeError: a value of kind 1 was read as int",
    "as_bool": "TypeError: a value of kind 1 was read as bool",
    "as_list": "TypeError: a value of kind 1 was read as Tensor[]",
    "of_list": "TypeError: a value of kind 6 was read as Tensor",
    "of_pair": "TypeError: a value of kind 1 was read as int",
    "no_tensor": "RuntimeError: no_tensor(): the kernel returned no tensor",
    "no_device": "TypeError: there is no device type 77; this opweave knows cpu, meta",
    "no_index": "TypeError: there is no device cpu:300",
    "no_dim": "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 7)",
    "no_stride": "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got -2)",
    "saved_tensor": "TypeError: a value of kind 1 was read as float",
    "saved_number": "TypeError: a value of kind 4 was read as Tensor",
    "far_gradient": "RuntimeError: gradient 5 was asked for, and there are 1",
    "far_needs": "RuntimeError: FarNeedsBackward0: backward_needs(99), but there are 2 arguments",
    "no_gradient": "RuntimeError: the definition's gradient() was given no function",
}
# Definitions that speak of what their schema does not have, and what is told when they are loaded.
MISPLACED = {
    "constant(40)": "the gradient of 'by_hand::f' speaks of argument 40: by_hand::f(Tensor self) -> Tensor",
    "refused(99)": "the gradient of 'by_hand::f' speaks of argument 63: by_hand::f(Tensor self) -> Tensor",
    "constant_result(1)": "the gradient of 'by_hand::f' speaks of result 1: "
    "by_hand::f(Tensor self) -> Tensor",
    "number(60)": "'by_hand::f(Tensor self) -> Tensor' has no argument 60, for which the definition takes "
    "numbers",
    'kernel("cpu", &same)': "'by_hand::f' has two kernels for \"cpu\"",
}


@pytest.mark.parametrize(("call", "why"), MISPLACED.items(), ids=range(len(MISPLACED)))
def test_places_that_a_schema_does_not_have(
    user: Installed, tmp_path: Path, headers: str, call: str, why: str
) -> None:
    build("misplaced.cc", tmp_path, headers, *GCC, f"-DCALL={call}")
    assert refused(user, tmp_path).endswith(why)


def test_values_that_are_read_as_another_type(
    user: Installed, tmp_path: Path, headers: str
) -> None:
    build("mistakes.cc", tmp_path, headers, *GCC)
    script = f"""
x = ow.ones(3, requires_grad=True)
for name in {list(MISTAKES)}:
    f = getattr(ow.ops.mistakes, name)
    try:
        f(x).sum().backward() if name.startswith(("saved", "far", "no_grad")) else f(x.detach())
    except Exception as error:
        print(f"{{name}} {{type(error).__name__}}: {{error}}")
"""
    said = user.prints(USE + script, tmp_path).splitlines()
    assert said == [f"{name} {told}" for name, told in MISTAKES.items()]


def test_a_schema_that_is_none(user: Installed, tmp_path: Path, headers: str) -> None:
    build("by_hand.cc", tmp_path, headers, *GCC, '-DNAME="scaled[("')
    assert "scaled[" in refused(user, tmp_path)


def test_built_again(user: Installed, tmp_path: Path, headers: str) -> None:
    """A library takes the place of one of its name, and one that is refused does not."""
    build("by_hand.cc", tmp_path, headers, *GCC).rename(tmp_path / "first.so")
    build("by_hand.cc", tmp_path, headers, *GCC, '-DNAME="other"').rename(tmp_path / "second.so")
    build("by_hand.cc", tmp_path, headers, *GCC, "-DFACTOR=int64_t").rename(tmp_path / "wrong.so")
    script = """
import opweave as ow
def names(): return dir(ow.ops.by_hand)
ow.ops.load_library("first.so"); ow.ops.load_library("first.so"); print(names())
ow.ops.load_library("second.so"); print(names())
try:
    ow.ops.load_library("wrong.so")
except ImportError:
    print(names(), ow.ops.by_hand.other(ow.ones(1)).item())
"""
    assert user.prints(script, tmp_path).splitlines() == [
        "['flattened', 'scaled']",
        "['flattened', 'other']",
        "['flattened', 'other'] 2.0",
    ]


ENTRIES = """\
- func: softsign2(Tensor self, *, Scalar scale=1) -> Tensor
  expr: self / (scale + abs(self))
  dtypes: floating
  variants: [function, method]
  samples: {self: real, scale: positive}
- func: gated(Tensor self, Tensor gate) -> Tensor
  expr: self * sigmoid(gate)
  dtypes: floating
  samples: {self: real, gate: real}
- func: is_large(Tensor self, float bound) -> Tensor
  expr: abs(self) > bound
  dtypes: floating
  differentiable: false
  samples: {self: real, bound: 0.5}
"""


@pytest.fixture(scope="module")
def of_yaml(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package, built of expressions for every release."""
    folder = tmp_path_factory.mktemp("of_yaml")
    (folder / "sources").mkdir()
    (folder / "sources/ops.yaml").write_text(ENTRIES)
    command = ["-m", "opweave.build", "sources", "--stable", "--name", "elems", "--out", "elems"]
    result = user.run(*command, cwd=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_expressions_of_yaml(user: Installed, of_yaml: Path) -> None:
    library = of_yaml / "elems/elems.so"
    assert not [s for s in symbols(library, "--undefined-only") if "opweave" in s]
    assert symbols(library, "--defined-only") == ["T opweave_library"]
    script = """
import opweave as ow
import elems
x = ow.tensor([[-1.0, 3.0], [0.5, 2.0]], dtype=ow.float64, requires_grad=True)
y = ow.tensor([1.0, 2.0], dtype=ow.float64, requires_grad=True)
print(elems.softsign2(x).tolist(), ow.softsign2(x.half()).dtype, x.softsign2(scale=2)[0].tolist())
for f, given in ((lambda t: ow.softsign2(t, scale=2), (x,)), (ow.gated, (x, y))):
    assert ow.autograd.gradcheck(f, given)
    assert ow.autograd.gradgradcheck(f, given)
assert ow.autograd.gradcheck(lambda t: ow.softsign2_(t * 1, scale=2), (x,))
tangent = ow.func.jvp(ow.softsign2, (x.detach(),), (ow.ones_like(x),))[1]
assert ow.allclose(tangent, 1 / (1 + x.detach().abs()) ** 2)
assert ow.func.vmap(ow.gated, in_dims=(0, None))(x, y).tolist() == ow.gated(x, y).tolist()
out = ow.empty(0, dtype=ow.float64)
assert ow.softsign2(x.detach(), out=out) is out
assert out.tolist() == ow.ops.elems.softsign2(x).tolist()
large = ow.is_large(x, 0.75)
print(large.tolist(), large.requires_grad, ow.softsign2(x.to("meta")).shape)
"""
    said = user.prints(script, of_yaml).splitlines()
    assert said == [
        "[[-0.5, 0.75], [0.3333333333333333, 0.6666666666666666]] opweave.float16 [-0.3333333333333333, 0.6]",
        "[[True, True], [False, True]] False opweave.Size([2, 2])",
    ]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (
            "- func: f(Tensor(a) self) -> Tensor(a)\n  kernels: [view]\n  samples: {self: real}\n"
            "  result: {sizes: self.sizes(), strides: self.strides(), offset: 0}\n  differentiable: false\n",
            "ops.yaml:1:9: error[OW0602]: 'f' has a result that is a view, which a library for every release "
            "cannot have",
        ),
        (
            "- func: f(Tensor self) -> Tensor\n  expr: lgamma(self)\n  dtypes: floating\n"
            "  samples: {self: positive}\n",
            "a library for every release cannot call functions of the core, and its expressions use ",
        ),
    ],
)
def test_what_cannot_be_for_every_release(
    user: Installed, tmp_path: Path, entry: str, why: str
) -> None:
    (tmp_path / "ops.yaml").write_text(entry)
    said = user.refusal("-m", "opweave.build", ".", "--stable", "--name", "f_lib", cwd=tmp_path)
    assert why in said
