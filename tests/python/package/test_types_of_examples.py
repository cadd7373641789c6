"""`mypy --strict` accepts every program of the examples, by the stubs of the package and of their
libraries."""

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import opweave
import pytest

PACKAGE = Path(opweave.__file__).parent
TOOLS = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/opweave/tools/bin"
FOLDERS = sorted({file.parent for file in Path("examples").glob("*/*.py")})
LIBRARIES = [Path("examples/moving_mean"), Path("examples/squareplus")]


def _mypy():
    mypy = shutil.which("mypy", path=f"{TOOLS}:{os.environ['PATH']}")
    if mypy is None:
        pytest.skip("mypy is not installed (./dev setup installs it)")
    # What the package itself is made of is not asked about.
    options = ["--strict", "--follow-imports=silent", "--explicit-package-bases"]
    return [mypy, *options, "--python-executable", sys.executable, "--cache-dir", os.devnull]


def _checked(folder, *files):
    path = os.pathsep.join(map(str, [PACKAGE.parent, folder, *LIBRARIES]))
    command = [*_mypy(), "--config-file", "pyproject.toml", *files]
    environment = os.environ | {"MYPYPATH": path}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_all_folders_are_looked_at():
    """Those without a Python program are no part of it."""
    assert [folder.name for folder in FOLDERS] == [
        *("digits", "distributed", "language_model", "moving_mean", "squareplus", "torch_library")
    ]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_mypy_accepts(folder):
    run = _checked(folder, *sorted(folder.glob("*.py")))
    assert run.returncode == 0, run.stdout + run.stderr


def test_mypy_sees_the_types_of_the_package(tmp_path):
    """A mistake in a call of each kind is found: what is Any everywhere would be accepted, too."""
    program = tmp_path / "program.py"
    program.write_text(
        "import squareplus_ops\n"
        "import opweave as ow\n"
        "from opweave import nn\n"
        "ow.tensor([1.0]).sum(dim='rows')\n"
        "nn.parallel.DistributedDataParallel(nn.Linear(2, 2), find_unused='yes')\n"
        "ow.func.vmap(ow.sin, in_dims='all')\n"
        "squareplus_ops.squareplus(ow.ones(2), b='four')\n"
    )
    run = _checked(tmp_path, program)
    lines = [int(line.split(":")[1]) for line in run.stdout.splitlines() if ": error:" in line]
    assert sorted(set(lines)) == [4, 5, 6, 7], run.stdout
