"""The example runs, and each rank has what it should."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("size", [2, 4])
def test_it_runs(size):
    program = Path(__file__).with_name("collectives.py")
    done = subprocess.run(
        [sys.executable, program, str(size)],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = set(done.stdout.splitlines())
    total = size * (size + 1) // 2
    for rank in range(size):
        assert f"rank {rank}: broadcast: [1.0, 1.0]" in lines
        assert f"rank {rank}: all_reduce: [{total}.0, {total}.0]" in lines
        assert f"rank {rank}: scatter: [{rank}, {rank * 10}]" in lines
        assert f"rank {rank}: send and recv: [{float((rank - 1) % size)}]" in lines
    assert f"rank 0: reduce: [{float(size)}, {float(size)}]" in lines
    assert len(lines) == 9 * size + 4
