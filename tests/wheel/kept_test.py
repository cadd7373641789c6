"""A library that an earlier commit built (kept/) runs on this core, or its operators are refused by name."""

import json
import shutil
from pathlib import Path

import pytest
from installed import Installed

KEPT = Path("tests/wheel/kept/kept").resolve()
USE = """
import opweave as ow
try:
    import kept
except ImportError as error:
    print("refused:", error)
else:
    x = ow.tensor([[-1.0, 3.0], [0.5, 2.0]], dtype=ow.float64, requires_grad=True)
    assert ow.autograd.gradcheck(lambda t: kept.kept_softsign(t, scale=2), (x,))
    spread = kept.kept_spread
    print(kept.kept_softsign(x).tolist(), spread(x).tolist(), ow.func.vmap(spread)(x).tolist())
"""
RESULTS = "[[-0.5, 0.75], [0.3333333333333333, 0.6666666666666666]] [4.0, 1.5] [4.0, 1.5]"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def test_a_library_of_an_earlier_commit(user: Installed, tmp_path: Path) -> None:
    """If the classes are as they were and the operators that it calls, it runs; else it says what changed."""
    shutil.copytree(KEPT, tmp_path / "kept")
    said = user.prints(USE, tmp_path)
    manifest = json.loads((KEPT / "library.json").read_text())
    now = json.loads(
        user.prints(
            "import opweave._libraries as l, json; print(json.dumps(l.class_layouts()))", tmp_path
        )
    )
    changed = sorted(
        name for name, layout in manifest["classes"].items() if now.get(name) != layout
    )
    if changed:
        assert said.startswith(
            "refused: the operator library 'kept' (kept_softsign, kept_spread) was built for opweave "
            "0.1.0 and cannot "
        )
        assert changed[0] in said or "operators that it calls have changed" in said
    else:
        assert said == RESULTS or "operators that it calls have changed:\n" in said


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
