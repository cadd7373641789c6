"""What the processes of this host take: links, and the step of a model, by several at once.

Processes of their own do the measuring, so that the program that asks needs no group and is not in the way.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from opweave.distributed.plan.links import Level, Links
from opweave.distributed.plan.profile import PARTS, Profile

LIMIT_SECONDS = 300
# How a process ends whose group another one ended.
ENDED_BY_ANOTHER = 2
# How long the process whose failure ended the others' group may take to end itself.
SECONDS_TO_END = 5
MEASURING = "opweave.distributed.plan.measuring"


class MeasureError(Exception):
    """A process that was to measure failed; with what it said."""

    def __init__(self, text, of_another=False):
        super().__init__(text)
        self.of_another = of_another  # whether it only tells what another process failed of


def host_links(ranks=2, backend=None):
    """Links of one level: what all_reduces of so many processes of this host take, and of the processors.

    MeasureError where a process fails.
    """
    with tempfile.TemporaryDirectory() as room:
        where = f"file://{room}/store"
        calls = [["links", str(rank), str(ranks), where, backend or "shm"] for rank in range(ranks)]
        found = json.loads(_run(calls)[0])
    points = tuple((float(nbytes), seconds) for nbytes, seconds in found["points"])
    (_, latency), (nbytes, seconds) = points[0], points[-1]
    # Of the ring's formula: 2 (n - 1) steps of a share each.
    steps = 2 * (ranks - 1)
    bandwidth = steps * nbytes / ranks / seconds
    level = Level("host", 2**20, latency / steps, bandwidth, None, ((ranks, points),))
    return Links([level], processors=len(os.sched_getaffinity(0)), busy=found["busy"])


def profile_at_once(program, processes, steps=5):
    """The Profile of MODEL.py's step while so many processes take it at once: the slowest of them."""
    with tempfile.TemporaryDirectory() as room:
        place = [str(processes), f"file://{room}/store"]
        model = ["profile", str(Path(program).resolve()), str(steps)]
        answers = _run([[*model, str(rank), *place] for rank in range(processes)])
    found = [json.loads(answer) for answer in answers]
    slowest = max(found, key=lambda f: sum(f[part] for part in PARTS))
    gradients = tuple(map(tuple, slowest["gradients"]))
    return Profile(**{**slowest, "gradients": gradients, "processes": processes})


def _run(calls):
    """What each process prints last; all begin together. MeasureError of the one that fails, at once."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", MEASURING, *call],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for call in calls
    ]
    ready = threading.Barrier(len(processes))
    with ThreadPoolExecutor(len(processes)) as pool:
        try:
            talks = [pool.submit(_talk, process, ready) for process in processes]
            _raise_failure(talks)
        finally:  # what still runs would wait for the one that failed, and its thread for it
            ready.abort()
            for process in processes:
                process.kill()
                process.wait()
    return [talk.result() for talk in talks]


def _raise_failure(talks):
    """Returns when all have ended well; else raises what failed by itself rather than what that led to."""
    done, others = wait(talks, return_when=FIRST_EXCEPTION)
    failures = [talk.exception() for talk in done if talk.exception()]
    if failures and all(failure.of_another for failure in failures):
        done, _ = wait(others, SECONDS_TO_END)
        failures += [talk.exception() for talk in done if talk.exception()]
    if failures:
        raise min(failures, key=lambda failure: failure.of_another)


def _talk(process, ready):
    """What it prints last. It goes on when all are ready, and alone fails alone."""
    with contextlib.suppress(threading.BrokenBarrierError, BrokenPipeError):
        if process.stdout.readline():
            ready.wait()
            process.stdin.write("go\n")
            process.stdin.flush()
    try:
        answer, said = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise MeasureError(
            f"a process that was to measure did not end within {LIMIT_SECONDS} s"
        ) from None
    if process.returncode != 0:
        # Python ends with 1 after a traceback; of another end what was said before knows nothing.
        of_another = process.returncode == ENDED_BY_ANOTHER
        last = said.strip().splitlines()[-1:] if process.returncode == 1 or of_another else []
        why = last[0] if last else f"status {process.returncode}"
        raise MeasureError(f"a process that was to measure failed: {why}", of_another)
    return answer.strip().splitlines()[-1]
