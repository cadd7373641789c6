"""What training the digits would take on eight ranks, and that many ranks of it call the same."""

import os
import subprocess
import sys

HERE = "examples/distributed/"
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join(sys.path))


def planned(*arguments: str) -> str:
    command = [sys.executable, "-m", "opweave.distributed.plan", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_eight_ranks_of_a_host() -> None:
    last = (
        planned(HERE + "model_digits.py", "--ranks", "8", "--steps", "3").splitlines()[-1].split()
    )
    assert last[0] == "8"
    assert float(last[4].removesuffix("x")) >= 6


def test_ranks_call_the_same() -> None:
    program = HERE + "train_digits.py"
    out = planned("--check", program, "--ranks", "3", "--", "--epochs=1", "--accuracy=0")
    assert out == "3 ranks call the same\n"
