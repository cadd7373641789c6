"""opweave.utils.benchmark.Timer."""

import contextlib
import sys
import textwrap
import time
import timeit

from opweave import _C, accelerator
from opweave.utils.benchmark._measurement import Measurement, TaskSpec

__all__ = ["Timer", "timer"]


def timer():
    """Seconds of a clock, once an accelerator has done what it was told."""
    if accelerator.is_available():
        accelerator.synchronize()
    return time.perf_counter()


@contextlib.contextmanager
def _threads(n):
    before = _C.get_num_threads()
    _C.set_num_threads(n)
    try:
        yield
    finally:
        _C.set_num_threads(before)


class Timer:
    """Measures a statement of Python.

    Args:
        stmt: the statement; it sees `globals`, and what `setup` defines.
        setup, global_setup: run before, untimed.
        timer: gives seconds; that of this module waits for accelerators.
        globals: what names mean; `opweave` or `torch` is among them.
        label, sub_label, description, env: what tables call it.
        num_threads: how many compute, one unless given.

    Raises:
        ValueError: a statement that is no str, or another language.
    """

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None,
                 sub_label=None, description=None, env=None, num_threads=1, language="python"):  # fmt: skip
        if str(getattr(language, "name", language)).lower() not in ("python", "py"):
            raise ValueError(f"Invalid language `{language}`: statements of Python are measured.")
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip()
        self._task = TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )
        package = sys.modules["opweave"]  # as the statement's own `import` would give it
        known = {"opweave": package}
        if _C._printed_package() == "torch":
            known["torch"] = package
        if global_setup:
            exec(global_setup, known)
        self._timer = timeit.Timer(stmt, setup or "pass", timer, {**known, **(globals or {})})

    def _run(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number=1_000_000):
        """The time of that many calls, after a hundredth of them untimed."""
        with _threads(self._task.num_threads):
            self._run(max(number // 100, 2))
            return Measurement(number, [self._run(number)], self._task)

    def repeat(self, repeat=-1, number=-1):
        """Not there.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        """Not there.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _calls_per_run(self, min_run_time):
        """So many that reading the clock is less than a thousandth of them."""
        overhead = min(timeit.Timer("pass", timer=time.perf_counter).timeit(0) for _ in range(5))
        number = 1
        while True:
            took = self._run(number)
            if overhead <= 1e-4 * took and took >= min(min_run_time / 1000, 1e-3):
                return number
            if took > min_run_time:
                return number
            number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Runs of many calls each until they took `min_run_time` seconds.

        Args:
            callback: called with the number of calls and the seconds of each run.
        """
        with _threads(self._task.num_threads):
            number = self._calls_per_run(min_run_time)
            times, whole = [], 0.0
            while whole < min_run_time or not times:
                times.append(self._run(number))
                whole += times[-1]
                if callback is not None:
                    callback(number, times[-1])
            return Measurement(number, times, self._task)

    def adaptive_autorange(
        self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None
    ):
        """Runs until the middle half of the times spans less than `threshold` of the median."""
        with _threads(self._task.num_threads):
            number = self._calls_per_run(min_run_time)
            times, whole = [], 0.0
            while True:
                times.append(self._run(number))
                whole += times[-1]
                if callback is not None:
                    callback(number, times[-1])
                found = Measurement(number, times, self._task)
                enough = (
                    whole >= min_run_time and len(times) > 3 and found.meets_confidence(threshold)
                )
                if enough or whole >= max_run_time:
                    return found

    def collect_callgrind(self, *args, **kwargs):
        """Not there.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "collect_callgrind() is not there; run valgrind --tool=callgrind yourself"
        )
