"""Runs tests against mutants.

First every test runs once without a mutant, which tells the mutants that it reaches. Then each
mutant runs, in a process of its own, the tests that reach it, the most telling first, until one fails.
"""

import os
import signal
import time
from collections import defaultdict
from dataclasses import dataclass, field

from _pytest.runner import runtestprotocol

CRASHED, TIMED_OUT = "(crashed)", "(took too long)"


@dataclass
class Test:
    """A pytest item and what its run without a mutant showed."""

    item: object
    name: str
    outcome: str = ""
    seconds: float = 0.0
    reached: set = field(default_factory=set)

    def run(self):
        """The outcome: that of the first phase that did not pass."""
        reports = runtestprotocol(self.item, log=False, nextitem=None)
        return next((r.outcome for r in reports if r.outcome != "passed"), "passed")


def ranked(tests, operator, count):
    """The `count` tests most likely to notice a mistake in the operator soonest.

    Those named after it come first, then those that reach few mutants; quick ones before slow ones.
    """
    base = operator.split(".")[0].strip("_")

    def rank(test):
        return base not in test.name, len(test.reached), test.seconds

    return sorted(tests, key=rank)[:count]


class Campaign:
    """A pytest plugin: plays the mutants instead of running the tests once."""

    def __init__(self, mutants, switch, *, tests_per_mutant, seconds_per_mutant, workers, say):
        self.mutants = mutants
        self.switch = switch
        self.tests_per_mutant = tests_per_mutant
        self.seconds_per_mutant = seconds_per_mutant
        self.workers = workers
        self.say = say
        self.broken = []  # tests that fail without a mutant, and files that cannot be read
        self.noticed_by = {}  # mutant id -> name of the test that failed
        self.reached = set()  # ids of mutants that some test reaches

    def pytest_collectreport(self, report):
        if report.failed:
            self.broken.append(f"{report.nodeid} (cannot be collected)")

    def pytest_runtestloop(self, session):
        tests = [Test(item, item.nodeid) for item in session.items]
        self.take_baseline(tests)
        self.play(tests)
        return True

    def take_baseline(self, tests):
        began = time.monotonic()
        for test in tests:
            self.switch.forget()
            start = time.monotonic()
            test.outcome = test.run()
            test.seconds = time.monotonic() - start
            test.reached = self.switch.reached()
            self.reached |= test.reached
        self.broken += [test.name for test in tests if test.outcome == "failed"]
        self.say(f"{len(tests)} tests without a mutant: {time.monotonic() - began:.0f} s")

    def play(self, tests):
        by_mutant = defaultdict(list)
        for test in tests:
            if test.outcome == "passed":
                for mutant_id in test.reached:
                    by_mutant[mutant_id].append(test)
        running = {}
        for i, mutant in enumerate(self.mutants):
            if i % 250 == 0:
                self.say(f"mutant {i} of {len(self.mutants)}, {len(self.noticed_by)} noticed")
            while len(running) >= self.workers:
                self.wait_for_one(running)
            chosen = ranked(by_mutant[mutant.id], mutant.operator, self.tests_per_mutant)
            if chosen:
                running.update([self.start(mutant, chosen)])
        while running:
            self.wait_for_one(running)

    def start(self, mutant, tests):
        """A process that runs the tests; it writes the number of the first that fails."""
        read, write = os.pipe()
        pid = os.fork()
        if pid:
            os.close(write)
            return pid, (mutant, tests, read)
        try:
            signal.alarm(self.seconds_per_mutant)
            silence()
            self.switch.activate(mutant.id)
            for i, test in enumerate(tests):
                if test.run() == "failed":
                    os.write(write, str(i).encode())
                    break
        finally:
            os._exit(0)

    def wait_for_one(self, running):
        pid, status = os.wait()
        mutant, tests, read = running.pop(pid)
        with os.fdopen(read) as pipe:
            number = pipe.read()
        if number:
            self.noticed_by[mutant.id] = tests[int(number)].name
        elif os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) == signal.SIGALRM
            self.noticed_by[mutant.id] = TIMED_OUT if late else CRASHED


def silence():
    """Sends what a mutant makes the tests print nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
