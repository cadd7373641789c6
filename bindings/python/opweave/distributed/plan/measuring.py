"""A process that measures for `measure`: is ready, waits for the others, and prints what it took."""

import json
import sys
import time
import traceback
from pathlib import Path
from statistics import median

import opweave.distributed as dist
from opweave import _C
from opweave.distributed.plan.measure import ENDED_BY_ANOTHER
from opweave.distributed.plan.program import profile_of

# Bytes of the all_reduces that are timed, and how often.
SIZES = (4, 1024, 16 * 1024, 128 * 1024, 2**20, 4 * 2**20, 16 * 2**20, 64 * 2**20)
TURNS = 15
# What is computed between two of them, more than a processor's own caches hold.
OTHER = 16 * 2**20


def _wait_for_the_others():
    print("ready", flush=True)
    sys.stdin.readline()


def _measure_links(rank, size, where, backend):
    _C.set_num_threads(1)
    _wait_for_the_others()
    dist.init_process_group(backend, init_method=where, rank=int(rank), world_size=int(size))
    points, busy = [], 0.0
    other = _C.zeros(OTHER // 4)
    for nbytes in SIZES:
        x = _C.zeros(max(nbytes // 4, 1))
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
    _C.set_num_threads(1)
    place = {"init_method": where, "rank": int(rank), "world_size": int(size)}
    answer = profile_of(Path(program), int(steps), _wait_for_the_others, place)
    print(json.dumps(vars(answer)))


if __name__ == "__main__":
    try:
        {"links": _measure_links, "profile": _measure_profile}[sys.argv[1]](*sys.argv[2:])
    except dist.DistBackendError:
        traceback.print_exc()
        sys.exit(ENDED_BY_ANOTHER)
