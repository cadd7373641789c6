"""spawn and start_processes: what fails is named, with its own traceback, and the others are ended."""

import os
import pickle
import signal
import time

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
