"""What the processes of this host take: links, and the step of a model, by several at once.

Processes of their own do the measuring, so that the program that asks needs no group and is not in the way.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from opweave.distributed.plan.links import Level, Links
from opweave.distributed.plan.profile import PARTS, Profile

# Bytes of the all_reduces that are timed, and how often.
SIZES = (4, 1024, 16 * 1024, 128 * 1024, 2**20, 4 * 2**20, 16 * 2**20, 64 * 2**20)
TURNS = 15
# What is computed between two of them, more than a processor's own caches hold.
OTHER = 16 * 2**20
LIMIT_SECONDS = 300
HERE = "opweave.distributed.plan.measure"


class MeasureError(Exception):
    """A process that was to measure failed; with what it said."""


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
    """What each process prints last; all of them begin together."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", HERE, *call],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for call in calls
    ]
    try:
        for process in processes:  # ready, or gone
            process.stdout.readline()
        for process in processes:
            _tell(process)
        answers = [process.communicate(timeout=LIMIT_SECONDS) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for process, (_, said) in zip(processes, answers, strict=True):
        if process.returncode != 0:
            last = said.strip().splitlines()[-1:] or [f"status {process.returncode}"]
            raise MeasureError(f"a process that was to measure failed: {last[0]}")
    return [answer.strip().splitlines()[-1] for answer, _ in answers]


def _tell(process):
    with contextlib.suppress(BrokenPipeError):  # what it died of is in what it said
        process.stdin.write("go\n")
        process.stdin.flush()


def _wait_for_the_others():
    print("ready", flush=True)
    sys.stdin.readline()


def _measure_links(rank, size, where, backend):
    import opweave as ow
    import opweave.distributed as dist

    ow.set_num_threads(1)
    _wait_for_the_others()
    dist.init_process_group(backend, init_method=where, rank=int(rank), world_size=int(size))
    points, busy = [], 0.0
    other = ow.zeros(OTHER // 4)
    for nbytes in SIZES:
        x = ow.zeros(max(nbytes // 4, 1))
        times = [_timed(dist, x, other) for _ in range(TURNS)]
        points.append([nbytes, median(wall for wall, _ in times)])
        if nbytes == SIZES[-3]:
            busy = median(used / wall for wall, used in times)
    dist.destroy_process_group()
    print(json.dumps({"points": points, "busy": round(min(busy, 1.0), 3)}))


def _timed(dist, x, other):
    """Seconds of an all_reduce, and of a processor in it.

    As in a step of training, the caches hold what was computed last, and not what was sent before.
    """
    other.add_(1)
    x.fill_(0)
    dist.barrier()
    used, began = time.process_time(), time.perf_counter()
    dist.all_reduce(x)
    return time.perf_counter() - began, time.process_time() - used


def _measure_profile(program, steps, rank, size, where):
    import opweave as ow
    from opweave.distributed.plan.program import profile_of

    ow.set_num_threads(1)
    place = {"init_method": where, "rank": int(rank), "world_size": int(size)}
    answer = profile_of(Path(program), int(steps), _wait_for_the_others, place)
    print(json.dumps(vars(answer)))


if __name__ == "__main__":
    {"links": _measure_links, "profile": _measure_profile}[sys.argv[1]](*sys.argv[2:])
