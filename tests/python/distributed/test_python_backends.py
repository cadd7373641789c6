"""Backends that are written in Python, under the watchdog: what hangs in them is reported and ended."""

import os
import subprocess
import sys
import threading
import time
from datetime import timedelta

import opweave as ow
import opweave.distributed as dist
import pytest

LIMIT = 1.0


class Hanging(dist.ProcessGroup):
    """Does nothing until it is aborted: in the method that is called, or in the wait of what it returns."""

    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)
        self.aborted = threading.Event()

    def allreduce(self, tensors, opts):
        self.aborted.wait()

    def barrier(self, opts):
        return self

    def wait(self, timeout=None):
        self.aborted.wait()
        return True

    def broadcast(self, tensors, opts):
        raise ValueError("of the test")

    def abort(self):
        self.aborted.set()


@pytest.fixture(autouse=True)
def group():
    if not dist.is_backend_available("hanging"):
        dist.Backend.register_backend("hanging", Hanging)
    dist.init_process_group(
        "hanging",
        store=dist.HashStore(),
        rank=0,
        world_size=1,
        timeout=timedelta(seconds=LIMIT),
    )
    yield dist.group.WORLD
    dist.destroy_process_group()


def test_a_method_that_hangs():
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as caught:
        dist.all_reduce(ow.ones(3))
    assert LIMIT < time.monotonic() - began < LIMIT + 3
    said = str(caught.value)
    assert said.startswith(
        "all_reduce(sum) of float32[3] (number 0 of its group): its backend, which is written in Python, "
        "has not given up after the timeout of 1000ms; in the group 'world' (rank 0 of 1), called at "
    )
    assert "test_python_backends.py" in said
    entry = dist.trace.flight_record()["entries"][-1]
    assert entry["state"] == "failed"
    assert "has not given up" in str(entry)


def test_a_wait_that_hangs():
    work = dist.barrier(async_op=True)
    with pytest.raises(dist.DistBackendError, match="its backend, which is written in Python"):
        work.wait()
    assert "has not given up" in str(work.exception())


def test_the_timeout_of_a_call_and_of_the_group(group):
    dist.set_timeout(timedelta(seconds=0.2), group)
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError, match="timeout of 200ms"):
        dist.all_reduce(ow.ones(3))
    assert time.monotonic() - began < LIMIT


def test_what_it_raises_says_where(group):
    group.aborted.set()
    with pytest.raises(ValueError, match="of the test") as caught:
        dist.broadcast(ow.ones(2), 0)
    (note,) = caught.value.__notes__
    assert note.startswith(
        "in broadcast from rank 0 of float32[2] (number 0 of its group); in the group 'world' (rank 0 of 1)"
    )
    assert "test_python_backends.py" in note


def test_the_group_is_in_the_record():
    assert "world" in dist.trace.flight_record()["pg_status"]


HOLDING = """
import ctypes
import opweave as ow
import opweave.distributed as dist
from datetime import timedelta

class Holding(dist.ProcessGroup):
    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)

    def allreduce(self, tensors, opts):
        ctypes.PyDLL(None).sleep(4)  # with the interpreter's lock

dist.Backend.register_backend("holding", Holding)
dist.init_process_group(
    "holding", store=dist.HashStore(), rank=0, world_size=1, timeout=timedelta(seconds=0.3)
)
dist.all_reduce(ow.ones(3))
"""


def test_one_that_keeps_the_interpreter_is_reported_meanwhile(tmp_path):
    """The report needs nothing of Python."""
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join(sys.path),
        TORCH_FR_DUMP_TEMP_FILE=str(tmp_path / "rank_"),
    )
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING], env=environment, stderr=subprocess.PIPE, text=True
    ) as program:
        began = time.monotonic()
        line = program.stderr.readline()
        heard = time.monotonic() - began
        rest = program.stderr.read()
    assert line.startswith("opweave: rank 0 of the group 'world': all_reduce(sum) of float32[3]")
    assert heard < 4
    assert (tmp_path / "rank_0").exists()
    assert "has not given up after the timeout of 300ms" in rest.splitlines()[-1]
