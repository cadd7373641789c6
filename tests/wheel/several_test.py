"""Operators of several results, of which a program differentiates some: in a library of either form."""

import json
from pathlib import Path

import pytest
from installed import BUILD, Installed, copy

HERE = Path("tests/wheel/several").resolve()

_GRADIENTS = """
import json
import opweave as ow, several

x = ow.tensor([3.0, -2.0, 5.0], dtype=ow.float64, requires_grad=True)
found = {}
for name in ("moments", "both_ends", "signs"):
    call = getattr(several, name, None) or getattr(ow.ops.several, name)
    for used in ([0], [1], [0, 1]):
        total = sum(call(x)[i].sum() for i in used)
        (gradient,) = ow.autograd.grad(total, x)
        found[f"{name} {used}"] = gradient.tolist()
        assert ow.autograd.gradcheck(lambda t: tuple(call(t)[i] for i in used), (x,))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.mark.parametrize("words", [(), ("--stable",)], ids=["ordinary", "stable"])
def test_gradients_of_some_results(user: Installed, tmp_path: Path, words: tuple[str, ...]) -> None:
    copy(HERE, tmp_path / "several")
    made = user.run(*BUILD, "several", *words, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    found = json.loads(user.prints(_GRADIENTS, tmp_path, PYTHONPATH="several/build"))
    assert found["moments [0]"] == pytest.approx([1 / 3] * 3)
    assert found["moments [1]"] == [6.0, -4.0, 10.0]
    assert found["moments [0, 1]"] == pytest.approx([19 / 3, -11 / 3, 31 / 3])
    assert [found[f"both_ends {used}"] for used in ("[0]", "[1]", "[0, 1]")] == [
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
    ]
    assert [found[f"signs {used}"] for used in ("[0]", "[1]", "[0, 1]")] == [
        [1.0] * 3,
        [-1.0] * 3,
        [0.0] * 3,
    ]
