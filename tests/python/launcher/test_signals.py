"""Signals reach the processes, and none is left behind, whatever happens to the launcher."""

import signal
import time

import pytest
from support.launcher import finish, lives, start, wait_for, written

WAIT = """
import os, signal, sys, time
def note(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(0)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1"):
    signal.signal(getattr(signal, name), note)
open(f"up{os.environ['RANK']}", "w").write(str(os.getpid()))
time.sleep(100)
"""
FAMILY = """
import os, subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(100)"]
children = [
    subprocess.Popen(sleep),
    subprocess.Popen(sleep, start_new_session=True),
    subprocess.Popen(sleep, env={}),
]
here = f"up{os.environ['RANK']}"
open(here + ".new", "w").write(" ".join(str(p) for p in [os.getpid(), *(c.pid for c in children)]))
os.rename(here + ".new", here)
if len(sys.argv) == 1:
    time.sleep(100)
"""


def started(folder, program, *flags, count=2, **options):
    """A launcher, once its processes are up, and their ids."""
    script = written(folder, program)
    process = start(script, f"--nproc-per-node={count}", *flags, cwd=folder, **options)
    files = [folder / f"up{rank}" for rank in range(count)]
    wait_for(lambda: all(file.exists() and file.read_text() for file in files), "processes start")
    return process, [int(word) for file in files for word in file.read_text().split()]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
def test_signals_are_passed_on(tmp_path, name):
    process, ranks = started(tmp_path, WAIT)
    process.send_signal(getattr(signal, name))
    code, out, error = finish(process)
    assert code == 1
    assert sorted(out.splitlines()) == [f"[rank0]: got {name}", f"[rank1]: got {name}"]
    assert f"{name} was sent to the launcher" in error
    assert not any(map(lives, ranks))


def test_more_signals_on_demand(tmp_path):
    process, _ = started(tmp_path, WAIT, "--signals-to-handle", "SIGTERM,SIGUSR1", count=1)
    process.send_signal(signal.SIGUSR1)
    assert finish(process)[:2] == (1, "[rank0]: got SIGUSR1\n")


def test_who_does_not_listen_is_killed(tmp_path):
    deaf = WAIT.replace("sys.exit(0)", "pass").replace(
        "time.sleep(100)", "[time.sleep(1) for _ in range(100)]"
    )
    process, ranks = started(tmp_path, deaf, "--shutdown-timeout", "0.5")
    began = time.monotonic()
    process.terminate()
    code, out, _ = finish(process)
    assert code == 1
    assert 0.4 < time.monotonic() - began < 10
    assert "[rank0]: got SIGTERM" in out
    assert not any(map(lives, ranks))


def test_asked_a_second_time_it_does_not_wait(tmp_path):
    deaf = WAIT.replace("sys.exit(0)", "pass").replace(
        "time.sleep(100)", "[time.sleep(1) for _ in range(100)]"
    )
    process, ranks = started(tmp_path, deaf)
    process.terminate()
    time.sleep(0.3)
    process.terminate()
    began = time.monotonic()
    assert finish(process)[0] == 1
    assert time.monotonic() - began < 10
    assert not any(map(lives, ranks))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_behind(tmp_path, number):
    """Nor what the processes started, in sessions of its own or with an empty environment."""
    process, family = started(tmp_path, FAMILY)
    assert len(family) == 8
    assert all(map(lives, family))
    process.send_signal(number)
    code, _, _ = finish(process)
    assert code == (1 if number == signal.SIGTERM else -9)
    wait_for(lambda: not any(map(lives, family)), "all end", 5)


def test_nothing_is_left_behind_by_those_that_end_well(tmp_path):
    process, family = started(tmp_path, FAMILY, arguments=["end"])
    assert finish(process)[0] == 0
    assert not any(map(lives, family))


def test_who_is_stopped_ends_as_well(tmp_path):
    program = """
    import os, signal, time
    if os.environ["RANK"] == "0":
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(100)
    time.sleep(0.5)
    raise ValueError("it went wrong")
    """
    began = time.monotonic()
    code, _, error = finish(start(written(tmp_path, program), "--nproc-per-node=2"))
    assert code == 1
    assert "rank      : 1" in error
    assert time.monotonic() - began < 15


def test_a_launcher_below_a_launcher(tmp_path):
    """Each has a warden, and that of the outer one leaves that of the inner one its work."""
    inner = written(tmp_path, FAMILY, "inner.py")
    outer = f"""
    import subprocess, sys
    subprocess.run([sys.executable, "-m", "opweave.distributed.run", "--nproc-per-node=2", {str(inner)!r}])
    """
    process = start(written(tmp_path, outer), cwd=tmp_path)
    files = [tmp_path / f"up{rank}" for rank in range(2)]
    wait_for(lambda: all(file.exists() for file in files), "processes start")
    family = [int(word) for file in files for word in file.read_text().split()]
    assert len(family) == 8
    process.kill()
    finish(process)
    wait_for(lambda: not any(map(lives, family)), "all end", 5)
