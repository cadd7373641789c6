"""A run that is killed and started again is one without a pause, to the bit; a full disk loses nothing."""

import importlib.util
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("checkpoint.py")


def runs(file, *options, ranks=2):
    command = [sys.executable, "-m", "opweave.distributed.run", "--standalone"]
    return subprocess.run(
        [*command, "--nproc-per-node", str(ranks), PROGRAM, file, *options],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), OMP_NUM_THREADS="1"),
        check=False,
    )


def told(done):
    """The first step and the hash that each rank tells, which has to be the same."""
    assert done.returncode == 0, done.stderr
    found = re.findall(r"rank \d: steps (\d+) to \d+, parameters (\w+)", done.stdout)
    assert len(found) == 2
    assert found[0] == found[1]
    return found[0]


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path):
    whole = told(runs(tmp_path / "whole"))
    killed = runs(tmp_path / "parts", "--die-at", "12")
    assert killed.returncode != 0
    assert pickle.loads((tmp_path / "parts").read_bytes())["step"] == 10
    first, digest = told(runs(tmp_path / "parts"))
    assert (first, digest) == ("10", whole[1])
    assert told(runs(tmp_path / "parts")) == ("20", whole[1])


def test_a_stop_and_more_steps(tmp_path):
    """Also in the middle of an epoch: 100 points are 7 batches of 8 for each of 2 ranks."""
    whole = told(runs(tmp_path / "whole", "--steps", "9"))
    told(runs(tmp_path / "parts", "--steps", "3"))
    assert told(runs(tmp_path / "parts", "--steps", "9")) == ("3", whole[1])


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path):
    spec = importlib.util.spec_from_file_location("checkpoint", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    file = tmp_path / "checkpoint"
    program.write(file, {"step": 1})
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            program.write(file, {"step": 2, "model": b"x" * 5000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert pickle.loads(file.read_bytes()) == {"step": 1}
    assert os.listdir(tmp_path) == ["checkpoint"]
