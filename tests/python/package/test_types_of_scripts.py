"""`mypy --strict` accepts programs with types throughout, and they run: their types are what is there."""

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
HERE = Path(__file__).parent
PROGRAMS = ["typed_script.py", "typed_modules.py"]
ENVIRONMENT = os.environ | {"MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}


def _ran(*command):
    return subprocess.run(
        [*map(str, command)], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def _mypy(*files):
    mypy = shutil.which("mypy", path=f"{TOOLS}:{os.environ['PATH']}")
    if mypy is None:
        pytest.skip("mypy is not installed (./dev setup installs it)")
    # What the package itself is made of is not asked about.
    options = ["--strict", "--follow-imports=silent", "--python-version=3.11"]
    return _ran(mypy, *options, "--cache-dir", os.devnull, "--config-file", os.devnull, *files)


@pytest.mark.parametrize("program", PROGRAMS)
def test_mypy_accepts_the_program(program):
    run = _mypy(HERE / program)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_runs(program, tmp_path):
    options = ["--out", tmp_path / "checkpoint.pt"] if program == "typed_script.py" else []
    run = _ran(sys.executable, HERE / program, *options)
    assert run.returncode == 0, run.stdout + run.stderr


WRONG = """\
import opweave as ow
from opweave import nn
from opweave.nn.modules.batchnorm import _BatchNorm
from opweave.nn.utils.rnn import pad_sequence
def width(layer: nn.RNNBase) -> str:
    return layer.hidden_size
width(nn.GRU(1, 1))
width(nn.Linear(1, 1))
nn.Conv2d(1, 1, 3, output_padding=1)
nn.ReLU(negative_slope=0.1)
pad_sequence([ow.ones(1)], batch_first="yes")
wide: nn.ModuleList = nn.Sequential(nn.Tanh())
norm: nn.Linear | _BatchNorm = nn.BatchNorm3d(2)
nn.utils.clip_grad_norm_([ow.ones(1)], max_norm="one")
nn.batchnorm
ow.backends.cuda.matmul.allow_tf32 = "yes"
nn.Linear(1, 1).register_forward_hook(print).remove(1)
ow.ones(2).max(dim=0).maxima
nn.functional.interpolate(ow.ones(1), scale="two")
count: str = ow.cuda.device_count()
ow.set_default_device(1.5)
ow.cuda.amp.GradScaler(1.0, growth=2)
"""


def test_mypy_sees_what_is_wrong(tmp_path):
    """What is Any everywhere would be accepted, too."""
    program = tmp_path / "program.py"
    program.write_text(WRONG)
    run = _mypy(program)
    found = [int(line.split(":")[1]) for line in run.stdout.splitlines() if ": error:" in line]
    assert sorted(set(found)) == [6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22], (
        run.stdout
    )
