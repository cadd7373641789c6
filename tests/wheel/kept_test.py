"""Libraries that earlier commits built (kept/): those for every release run, others are refused by name."""

import shutil
from pathlib import Path

import pytest
from installed import Installed

KEPT = Path("tests/wheel/kept").resolve()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def test_a_stable_library_in_cpp(user: Installed) -> None:
    """stable/by_hand.cc as the first commit with the interface compiled it; it has to load and to compute.

    Where it no longer does, programs of users break: the interface is what has to change, not this file.
    """
    script = """
import opweave as ow
ow.ops.load_library("by_hand.so")
f, x = ow.ops.by_hand.scaled, ow.tensor([1.0, -2.0], dtype=ow.float64, requires_grad=True)
assert ow.autograd.gradcheck(lambda t: f(t, 2.5), (x,))
assert ow.autograd.gradgradcheck(f, (x,))
y, numbers = ow.ops.by_hand.flattened([ow.ones(2, 2)], "word")
print(f(x, 3.0).tolist(), f(x.float()).tolist(), ow.func.vmap(f)(x).tolist(), y.shape, numbers)
"""
    said = user.prints(script, KEPT / "stable")
    assert said == "[3.0, -6.0] [2.0, -4.0] [2.0, -4.0] opweave.Size([4]) [4, 2]"


def test_a_stable_library_in_c(user: Installed) -> None:
    """stable/elements.c, of the same commit."""
    script = """
import opweave as ow
ow.ops.load_library("elements.so")
e = ow.ops.elements
x = ow.tensor([[-1.0, 3.0], [0.5, 2.0]], dtype=ow.float64, requires_grad=True)
assert ow.autograd.gradcheck(lambda t: e.softsign(t, scale=2), (x,))
assert e.softsign_(x.detach().clone()).tolist() == e.softsign(x).tolist()
assert ow.func.vmap(e.softsign)(x).tolist() == e.softsign(x).tolist()
print(e.softsign(x).tolist(), e.softsign(x.half()).dtype)
"""
    said = user.prints(script, KEPT / "stable")
    assert said == "[[-0.5, 0.75], [0.3333333333333333, 0.6666666666666666]] opweave.float16"


def test_a_library_of_the_cores_classes(user: Installed, tmp_path: Path) -> None:
    """Compiled with the classes of an earlier core: refused with its operators, nothing is registered."""
    shutil.copytree(KEPT / "kept", tmp_path / "kept")
    script = """
import opweave as ow
try:
    import kept
except ImportError as error:
    print(error)
assert not hasattr(ow, "kept_spread") and ow._C._find_operator("kept_spread") is None
"""
    assert user.prints(script, tmp_path) == (
        "the operator library 'kept' (kept_softsign, kept_spread) was built for opweave 0.1.0 and cannot run "
        "on opweave 0.1.0: its library.json has format 1, whose layouts of classes nobody can compare any "
        "more\nBuild it again: python -m opweave.build FOLDER"
    )


def test_layouts_are_known(user: Installed, tmp_path: Path) -> None:
    """Of the classes that every library is compiled with."""
    layouts = user.prints(
        "import opweave._libraries as l; print(*l.class_layouts())", tmp_path
    ).split()
    for name in (
        "TensorImpl",
        "StorageImpl",
        "OperatorEntry",
        "Node",
        "DispatchKey",
        "Scalar",
        "IValue",
    ):
        assert f"opweave::{name}" in layouts
    assert len(layouts) > 150


def test_a_stable_library_of_yaml(user: Installed, tmp_path: Path) -> None:
    """yaml/kept_kinds: what `opweave.build new` wrote, as the first commit with version 1.1 compiled it.

    An expression, a formula, and a kernel with its gradient; like the others it has to go on.
    """
    shutil.copytree(KEPT / "yaml/kept_kinds", tmp_path / "kept_kinds")
    script = """
import opweave as ow, kept_kinds
x = ow.tensor([[1.0, 2.0, 6.0], [4.0, 3.0, 5.0]], dtype=ow.float64, requires_grad=True)
for f in (kept_kinds.squareplus, kept_kinds.root_mean_square, lambda t: kept_kinds.moving_mean(t, 2)):
    assert ow.autograd.gradcheck(f, (x,))
    assert ow.autograd.gradgradcheck(f, (x,))
    assert ow.func.vmap(f)(x.detach()).tolist() == [f(row).tolist() for row in x.detach()]
out = ow.empty(0, dtype=ow.float64)
assert kept_kinds.moving_mean(x.detach(), 2, out=out) is out
print(out.tolist(), kept_kinds.squareplus(x, b=0)[0].tolist())
print(kept_kinds.root_mean_square(x, [0]).tolist())
try:
    ow.ops.kept_kinds.moving_mean(x, 4)
except RuntimeError as error:
    print(error)
"""
    assert user.prints(script, tmp_path).splitlines() == [
        "[[1.5, 4.0], [3.5, 4.0]] [1.0, 2.0, 6.0]",
        "[2.9154759474226504, 2.5495097567963922, 5.522680508593631]",
        "moving_mean(): a window of 4 does not fit into the 3 elements of dimension 1",
    ]
