"""`./dev faults SECONDS`: groups of processes, and a fault in one of them at a time that chance draws."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import rounds
from judge import judge

RANK = Path(__file__).with_name("rank.py")
# Seconds after which a rank that has not ended hangs.
HANGS = 6 * rounds.LIMIT + 20


@dataclass
class End:
    """Of a process: what it wrote, or how it ended without that."""

    outcome: dict | None
    how: str
    said: str
    process: int = 0  # its number


def run(drawn):
    """The End of each rank."""
    with tempfile.TemporaryDirectory() as room:
        processes = [start(drawn, rank, room) for rank in range(drawn.ranks)]
        try:
            let_go(processes)
            return wait(drawn, processes)
        finally:
            for process in processes:
                process.kill()
                process.wait()


def start(drawn, rank, room):
    task = [sys.executable, str(RANK), json.dumps(asdict(drawn)), str(rank), room]
    paths = os.pathsep.join(p for p in sys.path if p)
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=paths)
    pipe = subprocess.PIPE
    return subprocess.Popen(task, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def let_go(processes):
    """Once all of them have started."""
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.close()
        process.stdin = None  # communicate() would flush it


def wait(drawn, processes):
    """The victim last: it may stand still until it is killed."""
    ends, limit = [None] * len(processes), time.monotonic() + HANGS
    last = drawn.victim if drawn.fault in rounds.SIGNALS else -1
    for rank in sorted(range(len(processes)), key=lambda r: r == last):
        if rank == last:
            processes[rank].kill()
        ends[rank] = end_of(processes[rank], max(limit - time.monotonic(), 0.1))
    return ends


def end_of(process, seconds):
    how = ""
    try:
        out, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        how = "hangs"
        process.kill()
        out, said = process.communicate()
    for line in out.splitlines():
        if line.startswith("OUTCOME "):
            return End(json.loads(line.removeprefix("OUTCOME ")), how, said, process.pid)
    status = f"ended with the status {process.returncode}"
    return End(None, how or status, said, process.pid)


def findings_of(drawn, slack):
    """What is wrong with a round that is run now."""
    return judge(drawn, run(drawn), slack)


def main():
    parser = argparse.ArgumentParser(prog="./dev faults")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    parser.add_argument("--backend", choices=["shm", "gloo"], help="of all rounds")
    parser.add_argument(
        "--slack", type=float, default=0.0, help="seconds that a busy machine takes"
    )
    options = parser.parse_args()
    backends = (options.backend,) if options.backend else ("shm", "gloo")
    end, number, bad = time.monotonic() + options.seconds, options.first, 0
    while time.monotonic() < end:
        drawn = rounds.draw(options.seed, number, backends)
        number += 1
        if found := findings_of(drawn, options.slack):
            bad += 1
            print("---", drawn, *found, sep="\n", flush=True)
    print(f"{number - options.first} rounds with seed {options.seed}, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
