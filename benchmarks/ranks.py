"""Processes of one group as a contender: each call is timed on every rank; the slowest rank's median counts.

Started with the name of a package, a backend, a rank, a size and a file to meet in, this is one of them: it
reads lines of a collective, bytes and runs, and answers the median.
"""

import importlib
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from statistics import median

from measure import Sampler


class Ranks:
    """The processes of a group, which end with it."""

    def __init__(self, package: str, backend: str, size: int) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._processes = [
            subprocess.Popen(
                [
                    sys.executable,
                    __file__,
                    package,
                    backend,
                    str(rank),
                    str(size),
                    self._folder.name,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
            )
            for rank in range(size)
        ]

    def __del__(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        self._folder.cleanup()

    def time(self, collective: str, nbytes: int, runs: int) -> float:
        for process in self._processes:
            assert process.stdin is not None
            print(collective, nbytes, runs, file=process.stdin)
        return max(float(process.stdout.readline()) for process in self._processes)

    def sampler(self, collective: str, nbytes: int) -> Sampler:
        """At least five calls in each sample, as a median of fewer says little."""
        return lambda runs: self.time(collective, nbytes, max(runs, 5)) * runs


def _calls(library, dist, collective: str, nbytes: int, runs: int) -> list[float]:
    x = library.ones(max(nbytes // 4, 1))
    call = {"all_reduce": lambda: dist.all_reduce(x), "barrier": dist.barrier}[collective]
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return times


def main(package: str, backend: str, rank: str, size: str, folder: str) -> None:
    library = importlib.import_module(package)
    dist = importlib.import_module(f"{package}.distributed")
    library.set_num_threads(1)
    dist.init_process_group(
        backend,
        init_method=f"file://{Path(folder) / 'store'}",
        rank=int(rank),
        world_size=int(size),
        timeout=timedelta(seconds=60),
    )
    for line in sys.stdin:
        collective, nbytes, runs = line.split()
        dist.barrier()
        print(median(_calls(library, dist, collective, int(nbytes), int(runs))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
