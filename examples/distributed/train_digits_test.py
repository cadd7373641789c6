"""The digits are learnt by one, two and four processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "examples/distributed/train_digits.py"
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join(sys.path))


def trained(command: list[str], *arguments: str) -> str:
    command = [sys.executable, *command, PROGRAM, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("processes", [2, 4])
def test_in_processes(processes: int) -> None:
    out = trained(["-m", "opweave.distributed.run", f"--nproc-per-node={processes}"])
    assert out.count("epoch") == 6  # of rank 0 alone
    assert f"{processes} processes, accuracy 9" in out


def test_without_a_launcher() -> None:
    assert "1 processes, accuracy 9" in trained([])


def test_data_that_is_not_there(tmp_path: Path) -> None:
    command = [sys.executable, PROGRAM, "--data", str(tmp_path / "none.gz")]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 1
    assert "none.gz" in done.stderr
    assert Path(PROGRAM).exists()
