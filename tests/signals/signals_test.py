"""Signals may arrive at any time: in kernels, libraries and the threads of the pool; handlers use stack."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from long_calls import long_calls
from opweave.profiler import profile

FOLDER = Path(__file__).parent


def _run(*arguments, seconds=400):
    # The package `reference` lies beside this one.
    path = os.pathsep.join([*sys.path, str(FOLDER.parent)])
    env = {**os.environ, "OPWEAVE_DISTURB": str(FOLDER / "disturb.so"), "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=env,
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def _assert_passed(result):
    last = (result.stdout.splitlines() or ["nothing"])[-1]
    assert result.returncode == 0, (
        f"ended with {result.returncode} in {last}\n{result.stderr[-2000:]}"
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_long_calls(threads):
    _assert_passed(_run(FOLDER / "under_signals.py", "long", threads))


def test_every_operator():
    _assert_passed(_run(FOLDER / "under_signals.py", "short", 1))


def handwritten():
    """The operators whose kernels for the CPU are written by hand: whose headers its files include."""
    uses = ast.literal_eval(Path("kernels/cpu/operators.bzl").read_text().split("USES = ")[1])
    headers = {header for names in uses.values() for header in names}
    return {h.removeprefix("kernels/cpu/") for h in headers if h.startswith("kernels/cpu/")}


def test_long_calls_reach_every_kernel_by_hand():
    with profile() as recorded:
        for _, function in long_calls():
            function()
    called = {event.name.split("::")[-1].replace(".", "_") for event in recorded.events()}
    by_hand = handwritten()
    assert len(by_hand) > 80
    assert sorted(by_hand - called) == []


PYTHON = """
import signal, sys, time
import opweave as ow

arrived = 0


def note(*_):
    global arrived
    arrived += 1


ow.set_num_threads(int(sys.argv[1]))
signal.signal(signal.SIGALRM, note)
x = ow.ones(200, 200)
end = time.monotonic() + 2
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
while time.monotonic() < end:
    assert (x @ x)[3, 5] == 200
signal.setitimer(signal.ITIMER_REAL, 0)
print(arrived)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_handlers_of_python_run_between_products(threads):
    result = _run("-c", PYTHON, threads)
    _assert_passed(result)
    assert int(result.stdout) > 50


INTERRUPTED = """
import os, signal, threading, time
import opweave as ow

x = ow.ones(600, 600)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        x @ x
except KeyboardInterrupt:
    print("interrupted")
blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
print(sorted(blocked))
"""


def test_a_loop_of_products_is_interrupted():
    result = _run("-c", INTERRUPTED)
    _assert_passed(result)
    assert result.stdout.split("\n")[:2] == ["interrupted", "[]"]
