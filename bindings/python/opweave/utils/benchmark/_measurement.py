"""What a Timer has measured."""

import dataclasses
import math
import statistics

__all__ = ["Measurement", "TaskSpec", "select_unit", "trim_sigfig"]

_UNITS = (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0))
_ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
# A spread of more than this part of the median is said; of more than the second, with "variable".
_SPREAD = 0.1
# How many sigmas of the normal distribution the middle half of values spans.
_MIDDLE_HALF = 1.349


def select_unit(t):
    """The unit in which seconds are read easily, as (name, seconds): ("us", 1e-06)."""
    exponent = 0 if t == 0 or not math.isfinite(t) else math.floor(math.log10(abs(t)) / 3)
    return _UNITS[min(3, max(0, exponent + 3))] if t else _UNITS[0]


def in_english(unit):
    """ "microsecond" of "us"."""
    return _ENGLISH[unit]


def trim_sigfig(x, n):
    """A number with n significant digits, and zeros after them."""
    if not isinstance(n, int):
        raise TypeError(f"trim_sigfig: n: expected a number of digits, got {n!r}")
    if x == 0 or not math.isfinite(x):
        return float(x)
    magnitude = math.ceil(math.log10(abs(x)))
    scale = 10.0 ** (magnitude - n)
    return float(round(x / scale) * scale)


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """What was measured, and what it is called in tables."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """The label and what follows it; the statement without one."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return self.stmt

    def summarize(self):
        """All that was said of it, on lines."""
        parts = [self.title, self.description or ""]
        if (self.label is None and self.setup not in ("", "pass")) or self.setup not in (
            "",
            "pass",
        ):
            parts.append(f"setup: {self.setup}")
        return "\n".join(part for part in parts if part)


@dataclasses.dataclass
class Measurement:
    """Times of a statement.

    Attributes:
        number_per_run: how often it was called for each of raw_times.
        raw_times: seconds of each run.
        task_spec: what it was.
        metadata: the caller's.
    """

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    @property
    def times(self):
        """Seconds of one call, of each run."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def mean(self):
        """Seconds of one call, on average."""
        return statistics.fmean(self.times)

    @property
    def median(self):
        """Seconds of one call, in the middle of all."""
        return statistics.median(self.times)

    @property
    def iqr(self):
        """Seconds that the middle half of the times spans."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low

    @property
    def significant_figures(self):
        """How many digits of the median the spread leaves: the middle half of the times is within them."""
        sigma = self.iqr / _MIDDLE_HALF / math.sqrt(len(self.times))
        if sigma == 0 or self.median == 0:
            return 5
        return max(1, min(5, math.floor(math.log10(abs(self.median) / sigma))))

    @property
    def has_warnings(self):
        """Whether the times spread so much that the median says little."""
        return self.iqr > _SPREAD * self.median

    def meets_confidence(self, threshold=_SPREAD):
        """Whether the middle half of the times spans less than that part of the median."""
        return self.iqr / self.median < threshold if self.median else True

    @property
    def title(self):
        """That of the task."""
        return self.task_spec.title

    @property
    def as_row_name(self):
        """How tables name its row."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __getattr__(self, name):
        """What is known of the task: label, description, num_threads …"""
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute '{name}'")

    @staticmethod
    def merge(measurements):
        """One of each task, with the times of all of it."""
        found = {}
        for m in measurements:
            found.setdefault(m.task_spec, []).append(m)
        return [
            Measurement(1, [t for m in group for t in m.times], task)
            for task, group in found.items()
        ]

    def __repr__(self):
        unit, scale = select_unit(self.median)
        runs, threads = len(self.raw_times), self.task_spec.num_threads
        lines = [f"<{type(self).__module__}.Measurement>", self.task_spec.summarize()]
        if runs == 1:
            lines.append(f"  {self.median / scale:.2f} {unit}")
        else:
            lines.append(f"  Median: {self.median / scale:.2f} {unit}")
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit}")
        lines.append(
            f"  {runs} measurement{'s' * (runs > 1)}, {self.number_per_run} runs "
            f"{'per measurement' if runs > 1 else ''}, {threads} thread{'s' * (threads > 1)}"
        )
        if self.has_warnings:
            spread = 100 * self.iqr / self.median
            lines.append(
                f"  WARNING: the middle half of the times spans {spread:.1f}% of their median"
            )
        return "\n".join(lines)
