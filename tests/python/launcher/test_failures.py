"""One that fails ends the rest; the first failure, with its traceback, is what is printed last."""

import time

import pytest
from support.launcher import launch

HEAD = """
import os, signal, sys, time
rank = int(os.environ["RANK"])
"""


def reported(error):
    """The report behind all that processes printed."""
    begin = error.index("=" * 60)
    return error[begin:]


def test_the_traceback_comes_last_and_the_rest_ends_at_once(tmp_path):
    began = time.monotonic()
    code, _, error = launch(
        tmp_path,
        HEAD
        + """
print("noise " * 5, file=sys.stderr)
if rank == 1:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise RuntimeError("this went wrong") from e
time.sleep(100)
""",
        "--nproc-per-node=3",
    )
    assert code == 1
    assert time.monotonic() - began < 20
    report = reported(error)
    assert "train.py FAILED" in report
    assert "Other failures" not in report  # those that were stopped have not failed
    assert "  rank      : 1 (local_rank: 1)\n  exitcode  : 1 (pid: " in report
    assert "  host      : " in report
    assert "  time      : 20" in report
    lines = report.rstrip().splitlines()
    assert lines[-2] == "    RuntimeError: this went wrong"
    assert "    ZeroDivisionError: division by zero" in lines
    assert "noise" not in report
    assert "launcher" not in error  # nothing of our own code


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("sys.exit(3)", "exitcode  : 3 (pid: "),
        ("os.kill(os.getpid(), signal.SIGKILL)", "exitcode  : -9 (SIGKILL) (pid: "),
        ("os.abort()", "exitcode  : -6 (SIGABRT) (pid: "),
    ],
)
def test_other_ends(tmp_path, end, told):
    program = (
        HEAD + f"print('my last words', file=sys.stderr)\nif rank == 0: {end}\ntime.sleep(100)"
    )
    code, _, error = launch(tmp_path, program, "--nproc-per-node=2")
    assert code == 1
    assert told in reported(error)
    assert "rank      : 0 (local_rank: 0)" in reported(error)
    assert "    my last words" in reported(error)


def test_the_first_is_who_raised_first(tmp_path):
    """Rank 1 fails for want of rank 0, which ends more slowly than it failed."""
    code, _, error = launch(
        tmp_path,
        HEAD
        + """
import atexit
def slow():
    open("raised", "w").close()
    time.sleep(0.7)
if rank == 0:
    atexit.register(slow)  # runs behind those of the package, which is imported later
import opweave.distributed
if rank == 0:
    raise ValueError("the cause")
while not os.path.exists("raised"):
    time.sleep(0.01)
raise RuntimeError("a consequence")
""",
        "--nproc-per-node=2",
        cwd=tmp_path,
    )
    assert code == 1
    report = reported(error)
    assert report.rstrip().splitlines()[-2] == "    ValueError: the cause"
    assert "exitcode  : 1 (pid: " in report.partition("First failure:")[2]  # it was not stopped
    assert "Other failures:\n[1]:" in report
    assert "  rank      : 1 (local_rank: 1)" in report.partition("First failure:")[0]


def test_a_redirected_traceback_is_found(tmp_path):
    program = HEAD + "raise ValueError('into a file')"
    code, out, error = launch(tmp_path, program, "--redirects=3", "--log-dir", tmp_path / "logs")
    assert (code, out) == (1, "")
    assert error == reported(error)
    assert "    ValueError: into a file" in error


def test_a_program_that_no_system_can_run(tmp_path):
    (tmp_path / "train.py").write_text("")
    (tmp_path / "train.py").chmod(0o755)
    code, out, error = launch(tmp_path, "\x00\x01", "--no-python", "--nproc-per-node=2")
    assert (code, out) == (1, "")
    assert "train.py' cannot be run: [Errno 8] Exec format error" in error
    assert "Traceback" not in error


def test_programs_with_pytorchs_decorator(tmp_path):
    program = (
        HEAD
        + """
from opweave.distributed.elastic.multiprocessing.errors import record

@record
def main():
    raise ValueError("recorded")

try:
    main()
except ValueError:
    print("some other words", file=sys.stderr)
    os._exit(5)
"""
    )
    code, _, error = launch(tmp_path, program)
    assert code == 1
    assert "exitcode  : 5 (pid: " in reported(error)
    assert reported(error).rstrip().splitlines()[-2] == "    ValueError: recorded"
