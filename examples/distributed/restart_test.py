"""After a rank died the training goes on where the last checkpoint was, and comes to the same numbers."""

import os
import re
import subprocess
import sys
from pathlib import Path


def train(folder: Path, *arguments: str) -> dict[tuple[int, int], float]:
    """The losses that rank 0 printed, by attempt and step."""
    launcher = [sys.executable, "-m", "opweave.distributed.run", "--nproc-per-node=2"]
    program = Path(__file__).with_name("restart.py")
    done = subprocess.run(
        [*launcher, "--max-restarts=2", program, folder / "checkpoint", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"\[rank0\]: attempt (\d+), step (\d+): loss ([\d.]+)\n", done.stdout)
    return {(int(attempt), int(step)): float(loss) for attempt, step, loss in lines}


def test_it_goes_on_from_the_last_checkpoint(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    alone = train(whole)
    assert sorted(alone) == [(0, step) for step in range(20)]
    assert alone[0, 19] < 0.8 * alone[0, 0]
    broken = train(cut, "--die-at=10")
    broken.setdefault((0, 9), alone[0, 9])  # rank 0 may be stopped before it prints that
    assert sorted(broken) == [
        *((0, step) for step in range(10)),
        *((1, step) for step in range(8, 20)),
    ]
    for (_, step), loss in broken.items():
        assert loss == alone[0, step]
    assert [file.name for file in cut.iterdir()] == ["checkpoint"]
