"""The language server in an editor: Neovim without a screen."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

OPS = """\
- func: wave(Tensor self) -> Tensor
  expr: self + sin(self)
- func: both(Tensor self) -> Tensor
  composite: wave(self)
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    if shutil.which("nvim") is None:
        pytest.skip("neovim is not installed")
    folder = tmp_path_factory.mktemp("operators")
    (folder / "ops.yaml").write_text(OPS, encoding="utf-8")
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder),
        "OPWEAVE_SERVER": str(Path("codegen/cli/opweave").absolute()),
        "OPWEAVE_FOLDER": str(folder),
    }
    script = Path("tests/lsp/session.lua").absolute()
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n"]
    command += ["-c", f"luafile {script}", "-c", "cquit"]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def test_diagnostics_while_typing(shown):
    assert shown["diagnostic"] == {"code": "OW0202", "line": 1, "column": 8, "stop": 12}


def test_the_fix(shown):
    assert shown["mended"] == "  expr: self + sin(self)"


def test_hover(shown):
    assert "opweave.wave(input, *, out=None) -> Tensor" in shown["hover"]
    assert "∂wave/∂self = 1 + cos(self)" in shown["hover"]


def test_definition(shown):
    assert shown["definition"] == 0
