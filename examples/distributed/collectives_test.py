"""The example runs, and each rank has what it should."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def lines_of(*command: str | Path) -> set[str]:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def in_python(size: int) -> set[str]:
    return lines_of(sys.executable, Path(__file__).with_name("collectives.py"), str(size))


@pytest.mark.parametrize("size", [2, 4])
def test_it_runs(size: int) -> None:
    lines = in_python(size)
    total = size * (size + 1) // 2
    for rank in range(size):
        assert f"rank {rank}: broadcast: [1.0, 1.0]" in lines
        assert f"rank {rank}: all_reduce: [{total}.0, {total}.0]" in lines
        assert f"rank {rank}: scatter: [{rank}, {rank * 10}]" in lines
        assert f"rank {rank}: send and recv: [{float((rank - 1) % size)}]" in lines
    assert f"rank 0: reduce: [{float(size)}, {float(size)}]" in lines
    assert len(lines) == 9 * size + 4


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_same_in_cpp(size: int) -> None:
    """But for what only Python has: objects, and groups of a part of the processes."""
    expected = {
        line for line in in_python(size) if "object" not in line and "of a pair" not in line
    }
    assert lines_of(Path(__file__).with_name("collectives"), str(size)) == expected
