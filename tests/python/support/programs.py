"""Programs written for PyTorch, run by python -m opweave.as_torch."""

import os
import subprocess
import sys

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def run(folder, program, *options, arguments=()):
    """What a program prints, and what it says on stderr."""
    path = folder / "program.py"
    path.write_text(program)
    command = [sys.executable, "-m", "opweave.as_torch", *options, str(path), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False
    )
    return done.stdout, done.stderr
