"""Runs the launcher on a program that a test writes."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

LIMIT = 60


def environment(**more):
    """That of this test without what another launcher would tell its ranks."""
    told = ("OMP_NUM_THREADS", "OPWEAVE_STORE_SECRET", "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")
    kept = {name: value for name, value in os.environ.items() if name not in told}
    return kept | {"PYTHONPATH": os.pathsep.join(sys.path)} | more


def written(folder, program, name="train.py"):
    """The file of a program."""
    file = Path(folder) / name
    file.write_text(textwrap.dedent(program))
    return file


def start(script, *flags, arguments=(), more=None, module="run", **options):
    """The launcher as a process, with pipes; `module` of opweave.distributed."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            f"opweave.distributed.{module}",
            *map(str, flags),
            str(script),
            *arguments,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**(more or {})),
        **options,
    )


def finish(process):
    """A launcher's end: exit status, stdout, stderr. AssertionError if it does not come."""
    try:
        out, error = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
        raise AssertionError(f"the launcher hangs; it printed {out!r} and {error!r}") from None
    return process.returncode, out, error


def launch(folder, program, *flags, arguments=(), more=None, **options):
    """Runs a program: exit status, stdout, stderr."""
    script = written(folder, program)
    return finish(start(script, *flags, arguments=arguments, more=more, **options))


def wait_for(condition, what, seconds=20):
    """Until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)


def lives(process):
    """Whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
