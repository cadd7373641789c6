"""spawn and start_processes: what fails is named, with its own traceback, and the others are ended."""

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import opweave.multiprocessing as mp
import pytest

METHODS = ["fork", "spawn", "forkserver"]


def writes(i, folder, text):
    (folder / str(i)).write_text(text + str(i))


@pytest.mark.parametrize("method", METHODS)
def test_all_run(tmp_path, method):
    assert mp.start_processes(writes, (tmp_path, "x"), nprocs=3, start_method=method) is None
    assert sorted(p.read_text() for p in tmp_path.iterdir()) == ["x0", "x1", "x2"]


def one_raises(i, length):
    if i == 1:
        raise ValueError("no such row " + "x" * length)
    time.sleep(60)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("length", [0, 1_000_000])
def test_a_traceback_of_the_process_itself(method, length):
    began = time.monotonic()
    with pytest.raises(mp.ProcessRaisedException) as caught:
        mp.start_processes(one_raises, (length,), nprocs=2, start_method=method)
    said = str(caught.value)
    assert said.startswith(
        "\n\n-- Process 1 terminated with the following error:\nTraceback (most recent"
    )
    assert 'raise ValueError("no such row " + "x" * length)' in said
    assert said.endswith("ValueError: no such row " + "x" * length + "\n")
    assert caught.value.error_index == 1
    assert time.monotonic() - began < 30


def one_ends(i, how):
    if i == 0:
        how()
    time.sleep(60)


def is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def leaves():
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("how", "said", "code", "name"),
    [
        (is_killed, "process 0 terminated with signal SIGKILL", -9, "SIGKILL"),
        (leaves, "process 0 terminated with exit code 3", 3, None),
    ],
)
def test_an_end_without_a_word(how, said, code, name):
    with pytest.raises(mp.ProcessExitedException) as caught:
        mp.spawn(one_ends, (how,), nprocs=2)
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == said
    assert (error.exit_code, error.signal_name, error.error_index) == (code, name, 0)


def waits(i, seconds):
    time.sleep(seconds)


def test_join_later():
    context = mp.spawn(waits, (0.5,), nprocs=2, join=False)
    assert len(set(context.pids())) == 2
    assert context.join(timeout=0.001) is False
    while not context.join(timeout=10):
        pass
    assert context.join() is True


def join_all(context, **options):
    while not context.join(**options):
        pass


def deaf(i):
    if i == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    time.sleep(1)
    raise ValueError("over")


def test_who_does_not_heed_is_killed_after_the_grace_period():
    context = mp.start_processes(deaf, nprocs=2, join=False, start_method="fork")
    began = time.monotonic()
    with pytest.raises(mp.ProcessRaisedException, match="over"):
        join_all(context, grace_period=0.2)
    assert time.monotonic() - began < 20
    assert [p.is_alive() for p in context.processes] == [False, False]


def leaves_a_child(i):
    if i == 0:
        if os.fork() == 0:
            time.sleep(60)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


@pytest.mark.parametrize("method", METHODS)
def test_the_end_of_one_whose_child_lives_is_noticed(method):
    began = time.monotonic()
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with signal SIGKILL"):
        mp.start_processes(leaves_a_child, nprocs=2, start_method=method)
    assert time.monotonic() - began < 20 + os.getloadavg()[0]


PROGRAM = """
import os, sys, time
import opweave.multiprocessing as mp

def waits(i):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    mp.start_processes(waits, nprocs=2, start_method={method!r})
"""


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("method", METHODS)
def test_kill_9_of_the_program_leaves_no_process(tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(method=method))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, text=True, env=environment
    )
    pids = [int(process.stdout.readline()) for _ in range(2)]
    assert all(map(is_running, pids))
    process.kill()
    process.wait()
    end = time.monotonic() + 20
    while any(map(is_running, pids)):
        assert time.monotonic() < end
        time.sleep(0.02)
    process.stdout.close()


def test_what_is_refused():
    with pytest.raises(
        ValueError, match="cannot find context for 'thread'; start_method is one of"
    ):
        mp.start_processes(waits, start_method="thread")
    with pytest.raises(TypeError, match="fn must be callable, but got int"):
        mp.spawn(3)
    with pytest.raises(TypeError, match="nprocs must be an int, but got float"):
        mp.spawn(waits, nprocs=1.5)
    with pytest.warns(FutureWarning, match="only supports start_method=spawn"):
        mp.spawn(waits, (0,), start_method="fork")
