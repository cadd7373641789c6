"""Side-by-side timing: two contenders, run in turns on one thread, compared by their best samples.

Whatever else runs on the machine only adds to a sample, so the least disturbed one says most.
"""

import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Runs a contender that many times and returns the seconds it took.
Sampler = Callable[[int], float]

SAMPLE_SECONDS = 0.002
ROW_SECONDS = 1.5
MIN_ROUNDS = 5
MAX_ROUNDS = 201
# Fewer than MIN_ROUNDS where they take this long.
LONG_SECONDS = 20


@dataclass(frozen=True)
class Pair:
    """What is measured, and what it is measured against."""

    ours: Sampler
    theirs: Sampler


@dataclass(frozen=True)
class Timing:
    """Seconds per run in the best sample."""

    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def statement(code: str, **names: Any) -> Sampler:
    """A Python statement; `names` are its local variables, the cheapest to look up."""
    setup = "\n".join(f"{name} = _names['{name}']" for name in names)
    return timeit.Timer(code, setup, globals={"_names": names}).timeit


def function(body: Callable[[], Any]) -> Sampler:
    """A call long enough that the cost of calling does not show."""

    def sample(runs: int) -> float:
        start = time.perf_counter()
        for _ in range(runs):
            body()
        return time.perf_counter() - start

    return sample


def best_of(*samplers: Sampler) -> Sampler:
    """The fastest of several ways to do one thing."""
    return min(samplers, key=lambda sample: sample(runs_per_sample(sample)))


def runs_per_sample(sample: Sampler) -> int:
    """How many runs last SAMPLE_SECONDS. Also warms the contender up."""
    runs = 1
    while (seconds := sample(runs)) < SAMPLE_SECONDS:
        growth = SAMPLE_SECONDS / seconds * 1.2 if seconds > 0 else 10
        runs = int(runs * min(10, growth)) + 1
    return runs


def compare(pair: Pair) -> Timing:
    ours_runs = runs_per_sample(pair.ours)
    theirs_runs = runs_per_sample(pair.theirs)
    ours: list[float] = []
    theirs: list[float] = []
    began = time.perf_counter()
    while len(ours) < MAX_ROUNDS:
        if time.perf_counter() - began > (ROW_SECONDS if len(ours) >= MIN_ROUNDS else LONG_SECONDS):
            break
        ours.append(pair.ours(ours_runs) / ours_runs)
        theirs.append(pair.theirs(theirs_runs) / theirs_runs)
    return Timing(min(ours), min(theirs))
