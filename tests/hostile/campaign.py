"""Runs workers, and says which calls end them, hang, or answer in words that are not for users."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")


@dataclass
class Finding:
    kind: str  # "SIGSEGV", "exit 1", "hangs", "text"
    number: int  # of the call; the program decides where there is none
    text: str  # what it said last
    program: str


@dataclass
class Limits:
    seconds: float = 10  # for one call
    megabytes: int = 6000  # of address space; 0 under a sanitizer, which maps terabytes


def sanitized():
    """Whether a sanitizer watches, or will: under Bazel its library is loaded by now."""
    return "OPWEAVE_SANITIZER" in os.environ or "san.so" in os.environ.get("LD_PRELOAD", "")


def environment():
    """A sanitizer's library goes before all others, as in tools/pytest/run.py."""
    # What this process can import.
    env = dict(os.environ, OMP_NUM_THREADS="2", PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    if library := env.pop("OPWEAVE_SANITIZER", None):
        env["LD_PRELOAD"] = f"{library}:libstdc++.so.6"
    if sanitized():
        env["ASAN_OPTIONS"] = (
            "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2000"
        )
    return env


class Worker:
    """One process that makes calls from a number on."""

    def __init__(self, folder, arguments, limits):
        self.place = Path(folder, f"place-{os.urandom(4).hex()}")
        self.place.write_text(f"{-1:20d}")
        self.out, self.err = (Path(folder, self.place.name + end) for end in (".out", ".err"))
        self.limits, self.last, self.since = limits, None, time.monotonic()
        memory = 0 if sanitized() else limits.megabytes
        command = [
            sys.executable,
            str(WORKER),
            "--place",
            str(self.place),
            "--megabytes",
            str(memory),
        ]
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [*command, *map(str, arguments)], stdout=out, stderr=err, env=environment(),
                start_new_session=True,
            )  # fmt: skip

    def at(self):
        return int(self.place.read_text() or -1)

    def hangs(self):
        """Whether the call that is being made has taken longer than any may."""
        now = self.at()
        if now != self.last:
            self.last, self.since = now, time.monotonic()
        patience = self.limits.seconds * (5 if sanitized() else 1) + (60 if now < 0 else 0)
        return time.monotonic() - self.since > patience

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def texts(self):
        return [
            json.loads(line) for line in self.out.read_text().splitlines() if line.startswith("{")
        ]

    def last_words(self):
        return self.err.read_text(errors="replace")[-6000:]


def wait(worker, until=None):
    """How the worker ended: None where it made all its calls, "stopped" at the end of the time."""
    while worker.process.poll() is None:
        if until is not None and time.monotonic() > until:
            worker.kill()
            return "stopped"
        if worker.hangs():
            worker.kill()
            return "hangs"
        time.sleep(0.02)
    code = worker.process.returncode
    if code == 0:
        return None
    return signal.Signals(-code).name if code < 0 else f"exit {code}"


def run_program(program, limits):
    """(what came of it, what it said) of a program in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(program)
        worker = Worker(folder, ["--program", file], limits)
        kind = wait(worker)
        if kind is not None:
            return kind, worker.last_words()
        text = worker.texts()[0]["text"]
        return ("text", text) if text else (None, "")


class Campaign:
    def __init__(self, seed=0, limits=None, batch=5000):
        self.seed, self.limits, self.batch = seed, limits or Limits(), batch
        self.findings, self.made = [], 0
        self.accepted = self.judged = 0  # of the workers that made all their calls

    def _program(self, number):
        arguments = ["--seed", self.seed, "--first", number, "--show"]
        shown = subprocess.run(
            [sys.executable, str(WORKER), *map(str, arguments)],
            capture_output=True, text=True, env=environment(), check=True,
        )  # fmt: skip
        return shown.stdout.strip()

    def _note(self, worker, kind, first):
        for found in worker.texts():
            if "accepted" in found:
                self.accepted += found["accepted"]
                self.judged += worker.at() - first
                continue
            self.findings.append(Finding("text", found["number"], found["text"], found["program"]))
        number = worker.at()
        if kind not in (None, "stopped"):
            program = self._program(number) if number >= 0 else ""
            self.findings.append(Finding(kind, number, worker.last_words(), program))
            number += 1
        self.made += max(number - first, 0)
        return max(number, first)

    def run(self, first=0, count=None, seconds=None):
        """Makes `count` calls, or as many as fit into the time, and notes the findings."""
        until = None if seconds is None else time.monotonic() + seconds
        last = None if count is None else first + count
        with tempfile.TemporaryDirectory() as folder:
            while (last is None or first < last) and (until is None or time.monotonic() < until):
                size = self.batch if last is None else min(self.batch, last - first)
                arguments = ["--seed", self.seed, "--first", first, "--count", size]
                worker = Worker(folder, arguments, self.limits)
                kind = wait(worker, until)
                if worker.at() < 0 and kind != "stopped":
                    raise RuntimeError(f"no call was made ({kind}): {worker.last_words()}")
                first = self._note(worker, kind, first)
        return self.findings
