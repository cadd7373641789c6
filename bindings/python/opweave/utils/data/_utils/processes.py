"""The worker processes of one DataLoader, seen from the program: started, asked, watched, ended."""

import collections
import contextlib
import os
import select
import signal
import socket
import time

from opweave._processes import ProcessEnd
from opweave.utils.data._utils.channel import Channel, Message
from opweave.utils.data._utils.worker import END, work

_TIME_TO_END = 5.0  # seconds that a worker has for what it is at, before it is terminated


@contextlib.contextmanager
def _interrupts_blocked():
    """In processes that are started within, until they say otherwise: none is interrupted on its way."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Worker:
    """One process, and what it still owes."""

    def __init__(self, context, job, others):
        self.id = job.worker_id
        self.channel, end = Channel.pair()
        # A fork copies the program's ends; a process that is spawned has only what it is given.
        forked = context.get_start_method() == "fork"
        copied = [worker.channel for worker in (*others, self)] if forked else []
        try:
            self.process = context.Process(target=work, args=(job, end, copied), daemon=True)
            with _interrupts_blocked():
                self.process.start()
            self.ended = ProcessEnd(self.process)
        except BaseException:
            self.channel.close()
            raise
        finally:
            end.close()
        self.unsent = collections.deque()  # while its socket is full
        self.owes = 0  # answers

    def ask(self, number, index=None):
        """Sends a task, now or when there is room."""
        self.owes += 1
        self.unsent.append(Message(number, index))
        self.send()

    def send(self):
        """What there is room for. One that has ended is noticed elsewhere."""
        with contextlib.suppress(BlockingIOError, OSError):
            while self.unsent:
                self.channel.send(self.unsent[0], socket.MSG_DONTWAIT)
                self.unsent.popleft()

    def answers(self):
        """What it has sent, as (number, data)."""
        with contextlib.suppress(BlockingIOError, EOFError, ConnectionError):
            while True:
                answer = self.channel.receive(socket.MSG_DONTWAIT)
                self.owes -= 1
                self.send()
                yield answer

    def leave(self):
        """Asks it to end once it is done with what it is at; the next answer finds no reader."""
        self.unsent.clear()
        with contextlib.suppress(OSError):
            self.channel.send(Message(END), socket.MSG_DONTWAIT)
        self.channel.close()

    def described_end(self):
        """How the process has ended."""
        self.process.join()
        code = self.process.exitcode
        if code >= 0:
            return f"worker {self.id} (pid {self.process.pid}) ended with status {code}"
        with contextlib.suppress(ValueError):
            code = signal.Signals(-code).name
        return f"worker {self.id} (pid {self.process.pid}) was killed by {code}"


class Workers:
    """All of them.

    Args:
        context: of multiprocessing, that starts processes.
        jobs: what each is for.
        timeout: the longest wait for an answer in seconds; 0 for no limit.
    """

    def __init__(self, context, jobs, timeout):
        self.all, self.timeout = [], timeout
        self._owner = os.getpid()
        self._poll = select.poll()
        self._by_descriptor = {}
        self._arrived = collections.deque()
        try:
            for job in jobs:
                self._add(Worker(context, job, self.all))
        except BaseException:
            self.end()
            raise

    def _add(self, worker):
        self.all.append(worker)
        for descriptor in (worker.channel.fileno(), worker.ended.fileno()):
            self._by_descriptor[descriptor] = worker
            self._poll.register(descriptor, select.POLLIN)

    def retire(self, worker):
        """One that has no more to give ends; the others go on."""
        self._forget(worker)
        worker.leave()

    def _forget(self, worker):
        for descriptor in (worker.channel.fileno(), worker.ended.fileno()):
            if self._by_descriptor.pop(descriptor, None) is not None:
                self._poll.unregister(descriptor)

    def answer(self):
        """The next answer of any worker: (number, data).

        Raises:
            RuntimeError: a worker has ended, or none has answered within the time limit.
        """
        end = time.monotonic() + self.timeout if self.timeout > 0 else None
        while not self._arrived:
            left = None if end is None else max(0.0, end - time.monotonic())
            ready = self._poll.poll(None if left is None else left * 1000)
            if not ready and left == 0.0:
                raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds")
            self._take(ready)
        return self._arrived.popleft()

    def _take(self, ready):
        """All answers that are there come before the end of who has sent them."""
        ended = []
        for descriptor, _ in ready:
            worker = self._by_descriptor[descriptor]
            self._arrived.extend(worker.answers())
            if descriptor == worker.ended.fileno():
                ended.append(worker)
        if ended and not self._arrived:
            pids = ", ".join(str(worker.process.pid) for worker in ended)
            how = "; ".join(worker.described_end() for worker in ended)
            raise RuntimeError(
                f"DataLoader worker (pid(s) {pids}) exited unexpectedly: {how}. With num_workers=0 the "
                "program loads by itself, and a debugger sees what goes wrong"
            )

    def end(self):
        """Ends all processes. In a fork of the program they are not its own."""
        own = os.getpid() == self._owner
        for worker in self.all:
            self._forget(worker)
            worker.leave() if own else worker.channel.close()
        if not own:
            return
        end = time.monotonic() + _TIME_TO_END
        for worker in self.all:
            worker.ended.wait(end - time.monotonic())
        for worker in self.all:
            if worker.process.is_alive():
                worker.process.terminate()
                worker.ended.wait(1.0)
            if worker.process.is_alive():
                worker.process.kill()
            worker.process.join()
            worker.ended.close()
        self.all = []
