"""Libraries of which a selection names some operators: built with those alone, and with what they need."""

from pathlib import Path

import pytest
from installed import BUILD, Installed, cube

# A call of an operator that was left out, and what is said then.
LEFT_OUT = "try: {}\nexcept NotImplementedError as error: print(error)"
SAID = "operator 'other' was left out of this build (selection one.yaml): add `- other` under operators"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def library(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three operators by expressions, of which one has a gradient by a formula that calls another."""
    home = tmp_path_factory.mktemp("library")
    (home / "mine").mkdir()
    ops = cube() + cube("fourth", "self * self * self * self") + cube("other", "self + 1")
    (home / "mine/ops.yaml").write_text(ops)
    (home / "mine/derivatives.yaml").write_text("- name: fourth\n  self: grad * 4 * cube(self)\n")
    (home / "one.yaml").write_text("operators: [fourth]\n")
    return home


def test_a_library_has_what_is_selected_and_what_that_needs(user: Installed, library: Path) -> None:
    said = user.run(*BUILD, "mine", "--select", "one.yaml", cwd=library)
    assert said.returncode == 0, said.stderr
    script = (
        "import opweave, mine; x = opweave.tensor([2.0], requires_grad=True)\n"
        "mine.fourth(x).backward(); print(x.grad.item())\n" + LEFT_OUT.format("mine.other(x)")
    )
    printed = user.prints(script, cwd=library, PYTHONPATH=str(library / "mine/build"))
    assert printed.splitlines() == ["32.0", SAID]


def test_compile_ops_takes_a_selection(user: Installed, library: Path) -> None:
    script = (
        "import opweave\n"
        "files = ('mine/ops.yaml', 'mine/derivatives.yaml')\n"
        "ops = opweave.compile_ops(*files, select='one.yaml', name='part')\n"
        "print(ops.fourth(opweave.tensor([3.0])).tolist())\n"
        + LEFT_OUT.format("ops.other(opweave.ones(1))")
    )
    assert user.prints(script, cwd=library).splitlines() == ["[81.0]", SAID]


def test_without_a_selection_all_are_there(user: Installed, library: Path) -> None:
    assert user.run(*BUILD, "mine", cwd=library).returncode == 0
    script = "import mine; print(hasattr(mine, 'other'))"
    assert user.prints(script, cwd=library, PYTHONPATH=str(library / "mine/build")) == "True"


def test_each_library_has_its_own_selection(user: Installed, library: Path, tmp_path: Path) -> None:
    """What one leaves out, types or gradients, is nothing to another of the same names, nor to Opweave."""
    (tmp_path / "cubes.yaml").write_text("operators: [cube]\ndtypes: [float32]\ngradients: false\n")
    (tmp_path / "others.yaml").write_text("operators: [{name: other, dtypes: [float64]}, fourth]\n")
    script = f"""
import opweave as ow
file = {str(library / "mine/ops.yaml")!r}
cubes = ow.compile_ops(file, select="cubes.yaml", name="cubes")
others = ow.compile_ops(file, select="others.yaml", name="others")
x = ow.ones(1, requires_grad=True)
calls = (
    lambda: cubes.cube(x),
    lambda: cubes.cube(ow.ones(1, dtype=ow.float64)),
    lambda: cubes.other(x),
    lambda: others.cube(x),
    lambda: others.other(x),
    lambda: ow.ops.cubes.fourth,
)
for call in calls:
    try: print(call())
    except (NotImplementedError, AttributeError) as error: print(error)
(others.fourth(x) + ow.relu(x)).backward()
print(cubes.cube(x.detach()).item(), x.grad.item())
"""
    left_out = "was left out of this build (selection"
    assert user.prints(script, tmp_path).splitlines() == [
        "cube(): this build has no gradients (selection cubes.yaml), but an argument requires one: call it "
        "under no_grad(), or remove `gradients: false`",
        "cube was built without float64 (selection cubes.yaml): add float64 to the dtypes of the selection",
        f"operator 'other' {left_out} cubes.yaml): add `- other` under operators",
        f"operator 'cube' {left_out} others.yaml): add `- cube` under operators",
        "other was built without float32 (selection others.yaml): add float32 to its dtypes",
        f"operator 'fourth' {left_out} cubes.yaml): add `- fourth` under operators",
        "1.0 5.0",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "none.yaml: there is no such file, which selects operators of mine\n"),
        ("operators: [nope]\n", "none.yaml:1:13: error[OW0501]: "),
        ("- what\n", "none.yaml:1:1: error["),
    ],
)
def test_selections_that_are_wrong(
    text: str | None, message: str, user: Installed, library: Path
) -> None:
    (library / "none.yaml").unlink(missing_ok=True)
    if text is not None:
        (library / "none.yaml").write_text(text)
    said = user.refusal(*BUILD, "mine", "--select", "none.yaml", cwd=library)
    assert said.startswith(message), said
