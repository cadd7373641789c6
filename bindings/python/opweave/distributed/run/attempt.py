"""The processes of this host from start to end: a loop that reads, reaps and passes signals on."""

import selectors
import signal
import time
from dataclasses import dataclass, field

from opweave.distributed.run.descendants import descendants, kill_all, send
from opweave.distributed.run.failure import Failure
from opweave.distributed.run.output import Console
from opweave.distributed.run.rank import Rank
from opweave.distributed.run.values import ERROR, OUT

_LEFTOVERS_SECONDS = 5.0  # what ranks leave running has so long after SIGTERM
_DRAIN_SECONDS = 1.0  # for output of processes that cannot be found
_LOOK_SECONDS = 0.05
_ENDING_SECONDS = 1.0  # for who has failed and is about to end


@dataclass
class Outcome:
    """How an attempt ended: one of 'done', 'failure', 'signal', and 'lost' where hosts lost one another."""

    kind: str
    first: Failure | None = None
    others: list[Failure] = field(default_factory=list)
    text: str = ""


class Attempt:
    """One start of all processes of this host."""

    def __init__(self, options, place, number, folder, token, signals, meeting, warden):
        self.options, self.place, self.number = options, place, number
        self.folder, self.token = folder / f"attempt_{number}", token
        self.signals, self.meeting, self.warden = signals, meeting, warden
        self.ranks, self.over = [], None
        self.deadlines = []  # times, in order, each with a signal and the ranks that it ends
        self.failed = []  # before anybody was told to stop

    def run(self):
        """Until all has ended, here and, if all went well, everywhere."""
        self.signals.raises = False
        with selectors.DefaultSelector() as selector:
            self.selector = selector
            selector.register(self.signals.descriptor, selectors.EVENT_READ)
            if self.meeting.descriptor is not None:
                selector.register(self.meeting.descriptor, selectors.EVENT_READ)
            try:
                self._start()
                self._wait_for_ranks()
                self._end_leftovers()
                self._wait_for_hosts()
            finally:
                self._close()
        return self._outcome()

    def _start(self):
        consoles = {OUT: Console(1), ERROR: Console(2)}
        for local_rank in range(self.options.processes):
            rank = Rank(
                self.options,
                self.place,
                local_rank,
                self.number,
                self.folder / str(local_rank),
                self.token,
                consoles,
            )
            self.ranks.append(rank)
            for stream in rank.streams.values():
                self.selector.register(stream.descriptor, selectors.EVENT_READ, stream)
        self.warden.watch([rank.process.pid for rank in self.ranks])

    def _alive(self):
        return [rank for rank in self.ranks if rank.code is None]

    def _turn(self, seconds):
        """Waits until something happens, and takes what has."""
        for key, _ in self.selector.select(seconds):
            if key.data is None:
                continue
            if not key.data.read():
                self.selector.unregister(key.fd)
        self.signals.clear()
        for rank in self.ranks:
            if rank.poll() and rank.code != 0 and self.over is None:
                self.failed.append(rank)
        self._pass_signals_on()
        self._hear()
        if self.failed and self.over is None:
            self._tell_failure()

    def _wait_for_ranks(self):
        while self._alive():
            until = self.deadlines[0][0] if self.deadlines else None
            self._turn(None if until is None else max(until - time.monotonic(), 0))
            while self.deadlines and time.monotonic() >= self.deadlines[0][0]:
                _, number, ranks = self.deadlines.pop(0)
                for rank in ranks:
                    rank.send(number)

    def _pass_signals_on(self):
        for number in self.signals.taken():
            name = signal.Signals(number).name
            if self.over is not None and self.over["kind"] == "signal":
                number = signal.SIGKILL  # asked a second time
            self._stop(
                {
                    "kind": "signal",
                    "text": f"{name} was sent to the launcher on {self.options.name}",
                },
                number,
            )

    def _hear(self):
        """What other hosts say."""
        over = self.meeting.heard()
        if over is not None and self.over is None:
            self._stop(over, None if over["kind"] == "done" else signal.SIGTERM)

    def _tell_failure(self):
        for rank in self.failed:
            self._drain(rank)
        first = min((rank.failure() for rank in self.failed), key=lambda failure: failure.when)
        self._stop({"kind": "failure", "first": first}, signal.SIGTERM)

    def _drain(self, rank):
        """What it printed before its end is in the pipes."""
        for stream in rank.streams.values():
            if stream.descriptor in self.selector.get_map() and not stream.drain():
                self.selector.unregister(stream.descriptor)

    def _stop(self, over, number):
        if self.over is None:
            self.over = over
            self.meeting.tell(self.number, over)
        if number is None:
            return
        # Who said why it fails is ending by itself: its exit code is to be its own.
        spared = [r for r in self._alive() if over["kind"] == "failure" and r.error_file.exists()]
        for rank in self._alive():
            if rank not in spared:
                rank.send(number)
        if not self.deadlines:
            now = time.monotonic()
            ends = [(now + _ENDING_SECONDS, number, spared)] if spared else []
            ends.append((now + self.options.grace, signal.SIGKILL, self.ranks))
            self.deadlines = sorted(ends, key=lambda end: end[0])

    def _end_leftovers(self):
        """What the ranks started and left running, and the last that anybody printed."""
        sessions = {rank.process.pid for rank in self.ranks}
        left = descendants(self.token, sessions)
        send(left, signal.SIGTERM)
        end = time.monotonic() + min(self.options.grace, _LEFTOVERS_SECONDS)
        while left and time.monotonic() < end:
            self._turn(_LOOK_SECONDS)
            left = descendants(self.token, sessions)
        kill_all(self.token, sessions)
        end = time.monotonic() + _DRAIN_SECONDS
        while self._reads() and time.monotonic() < end:
            self._turn(_LOOK_SECONDS)

    def _reads(self):
        return any(key.data is not None for key in self.selector.get_map().values())

    def _wait_for_hosts(self):
        """Others may fail still, and then all start again."""
        if self.over is None:
            self.meeting.done(self.number)
        while self.over is None:
            self._hear()
            if self.over is None:
                self._turn(None)

    def _close(self):
        """All that was opened; if something has gone wrong here, nothing may go on."""
        sessions = {rank.process.pid for rank in self.ranks}
        if self._alive():
            kill_all(self.token, sessions)
        for rank in self.ranks:
            rank.process.wait()
            rank.close()
        if self.over is None:
            text = f"the launcher on {self.options.name} has failed"
            self.meeting.tell(self.number, {"kind": "lost", "text": text})
        self.warden.watch([])
        self.signals.raises = True

    def _outcome(self):
        over = self.meeting.agreed(self.number, self.over)
        if over["kind"] != "failure":
            return Outcome(over["kind"], text=over.get("text", ""))
        failures = [rank.failure() for rank in self.ranks if self._failed_by_itself(rank)]
        first = min(failures, key=lambda failure: failure.when, default=None)
        first = self.meeting.first(self.number, first) or over["first"]
        others = [f for f in failures if f.rank != first.rank]
        return Outcome("failure", first, others)

    def _failed_by_itself(self, rank):
        """And was not stopped. One that was slow to end after it had failed says so in its file."""
        return rank in self.failed or (bool(rank.code) and rank.error_file.exists())
