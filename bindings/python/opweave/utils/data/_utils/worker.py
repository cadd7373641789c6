"""What a process that loads examples does, and knows of itself."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import signal
from dataclasses import dataclass
from typing import Any

from opweave import _C
from opweave._processes import end_with_the_program
from opweave._random import manual_seed
from opweave._utils import ExceptionWrapper
from opweave.utils.data._utils import pipes
from opweave.utils.data._utils.channel import Message
from opweave.utils.data._utils.fetch import _DatasetKind

# Numbers of messages that are no tasks: to end, and to begin anew, which is answered.
END, BEGIN_ANEW = -1, -2

_worker_info = None


@dataclass(frozen=True)
class WorkerInfo:
    """Which worker this process is.

    Attributes:
        id: from 0 on.
        num_workers: how many there are.
        seed: of this worker's random numbers: the loader's number, and `id` added.
        dataset: this process's copy.
        rng: None.
        worker_method: "multiprocessing".
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


def get_worker_info() -> WorkerInfo | None:
    """The worker process of a DataLoader that this is; None in the program's own process."""
    return _worker_info


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """A worker's copy of an IterableDataset has no more."""

    worker_id: int


@dataclass(frozen=True)
class Job:
    """What a worker is made for."""

    kind: int
    dataset: Any
    auto_collation: bool
    collate_fn: Any
    drop_last: bool
    base_seed: int
    init_fn: Any
    worker_id: int
    num_workers: int

    def fetcher(self):
        return _DatasetKind.create_fetcher(
            self.kind, self.dataset, self.auto_collation, self.collate_fn, self.drop_last
        )

    def failure(self):
        """The exception at hand."""
        return ExceptionWrapper(where=f"in DataLoader worker process {self.worker_id}")


def has_numpy():
    return importlib.util.find_spec("numpy") is not None


def _generate_state(base_seed, worker_id):
    """What NumPy's numbers are seeded by in a worker."""
    import numpy as np

    words = [worker_id, base_seed & 0xFFFFFFFF, (base_seed >> 32) & 0xFFFFFFFF, 0]
    return np.random.SeedSequence(words).generate_state(4)


def _seed(job):
    """As PyTorch: the same number for random and for tensors, one that is mixed of both for NumPy."""
    seed = job.base_seed + job.worker_id
    random.seed(seed)
    manual_seed(seed)
    if has_numpy():
        import numpy as np

        np.random.seed(_generate_state(job.base_seed, job.worker_id))
    return seed


class _Worker:
    """The state of a worker between two tasks."""

    def __init__(self, job):
        self.job, self.fetcher, self.failed, self.ended = job, None, None, False
        try:
            if pipes.is_pipe(job.dataset):
                pipes.share_out(job.dataset, job.num_workers, job.worker_id)
            if job.init_fn is not None:
                job.init_fn(job.worker_id)
            self.fetcher = job.fetcher()
        except Exception:
            self.failed = job.failure()

    def begin_anew(self, shared_seed):
        self.ended = False
        try:
            if shared_seed is not None:
                pipes.seed(self.job.dataset, shared_seed)
            self.fetcher = self.job.fetcher()
        except Exception:
            self.failed = self.job.failure()

    def fetch(self, index):
        """A batch, or what is sent in its place."""
        if self.failed is not None:
            failed, self.failed = self.failed, None
            return failed
        try:
            return self.fetcher.fetch(index)
        except Exception as error:
            if isinstance(error, StopIteration) and self.job.kind == _DatasetKind.Iterable:
                self.ended = True
                return _IterableDatasetStopIteration(self.job.worker_id)
            return self.job.failure()

    def answer(self, number, index):
        """The message for a task; that of the failure if what was loaded cannot be sent."""
        if isinstance(index, ExceptionWrapper):
            return Message(number, index)
        data = self.fetch(index)
        try:
            return Message(number, data)
        except Exception:
            failure = data if isinstance(data, ExceptionWrapper) else self.job.failure()
        try:
            return Message(number, failure)
        except Exception:  # its class is not to be found by name
            failure.exc_type = RuntimeError
            return Message(number, failure)


def _serve(job, channel):
    worker = _Worker(job)
    while True:
        number, index = channel.receive()
        if number == END:
            return
        if number == BEGIN_ANEW:
            worker.begin_anew(index)
            channel.send(Message(BEGIN_ANEW))
        elif not worker.ended:
            channel.send(worker.answer(number, index))


def _leave_interrupts_to_the_program():
    """Which ends the workers, or goes on with them. They were blocked until here."""
    signal.signal(
        signal.SIGINT, lambda *_: None
    )  # not SIG_IGN, which programs started here would inherit
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def work(job, channel, ends_of_others):
    """Loads what the program asks for over `channel`, until that is closed or says END.

    `ends_of_others` are sockets that a fork has copied into this process: open, they would hide the end of
    the program from other workers.
    """
    global _worker_info
    _leave_interrupts_to_the_program()
    for end in ends_of_others:
        end.close()
    end_with_the_program()
    _C.set_num_threads(1)
    _worker_info = WorkerInfo(job.worker_id, job.num_workers, _seed(job), job.dataset)
    # Left by the program, which says why itself.
    with contextlib.suppress(EOFError, ConnectionError):
        _serve(job, channel)
    channel.close()
