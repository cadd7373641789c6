#!/usr/bin/env python3
"""Says how far a build is: reads what Bazel prints, and prints a share, a count and the time that is left.

bazel build TARGET... 2>&1 | tools/dev/progress.py "the generator"

A terminal gets one line that changes, a log a line every 15 seconds. Whatever is no progress, an error of the
compiler above all, is passed on as it is.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable
from typing import TextIO

STEP = re.compile(r"^\[([\d,]+) / ([\d,]+)\] ")
# What Bazel says of itself.
CHATTER = re.compile(r"^(INFO: (?!From )|Loading: |Analyzing: |Target //|  bazel-bin/|\s*$)")
SECONDS_BETWEEN_LINES = 15
# Before so many steps nothing can be foretold.
FIRST_STEPS = 10


def spelled(seconds: float) -> str:
    """A time as people say it: `1 min 20 s`."""
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


class Progress:
    """The lines that tell how far a build is.

    Args:
        title: what is built.
        to: where they go.
        clock: seconds since some time.
    """

    def __init__(self, title: str, to: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.title, self.to, self.clock = title, to, clock
        self.live = to.isatty()
        self.started = self.last = clock()

    def read(self, lines: Iterable[str]) -> None:
        """Passes on what Bazel prints, with its progress in words."""
        for line in lines:
            if step := STEP.match(line):
                self.step(*(int(number.replace(",", "")) for number in step.groups()))
            elif not CHATTER.match(line):
                self.clear()
                print(line.rstrip("\n"), file=self.to, flush=True)
        self.end()

    def step(self, done: int, steps: int) -> None:
        now = self.clock()
        if not self.live and now - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = now
        text = f"{self.title}: {done} of {steps} steps"
        if done >= FIRST_STEPS:
            left = (now - self.started) / done * (steps - done)
            text += f" ({100 * done // steps} %), about {spelled(left)} left"
        self.clear()
        print(text, end="" if self.live else "\n", file=self.to, flush=True)

    def clear(self) -> None:
        if self.live:
            print("\r\033[K", end="", file=self.to)

    def end(self) -> None:
        self.clear()
        print(f"{self.title}: {spelled(self.clock() - self.started)}", file=self.to, flush=True)


def main() -> int:
    """Reads standard input to its end."""
    Progress(" ".join(sys.argv[1:]) or "build", sys.stderr).read(sys.stdin)
    return 0


if __name__ == "__main__":
    sys.exit(main())
