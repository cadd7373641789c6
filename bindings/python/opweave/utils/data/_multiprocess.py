"""An iteration of a DataLoader whose batches worker processes load."""

import multiprocessing

from opweave._utils import ExceptionWrapper
from opweave.utils.data._iterations import _BaseDataLoaderIter
from opweave.utils.data._utils.pin_memory import pin_memory as _pinned
from opweave.utils.data._utils.processes import Workers
from opweave.utils.data._utils.worker import (
    BEGIN_ANEW,
    Job,
    _IterableDatasetStopIteration,
    has_numpy,
)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Tasks are numbered, and go round the workers, `prefetch_factor` to each. What is early waits here."""

    def __init__(self, loader):
        self._processes = None
        super().__init__(loader)
        if loader.prefetch_factor <= 0:
            raise AssertionError(
                "DataLoader: prefetch_factor must be greater than 0 where worker processes load "
                f"(num_workers={self._num_workers}), but got prefetch_factor={loader.prefetch_factor}"
            )
        self._in_order = loader.in_order
        context = loader.multiprocessing_context or multiprocessing.get_context()
        if has_numpy():
            import numpy  # noqa: F401 - once, before processes that are forked need it
        jobs = [self._job(loader, i) for i in range(self._num_workers)]
        self._processes = Workers(context, jobs, self._timeout)
        self._most = loader.prefetch_factor * self._num_workers
        # The sampler is asked for a second iterator, as in PyTorch: one that draws at once draws twice.
        super()._reset(loader, first_iter=True)
        self._start()

    def _job(self, loader, worker_id):
        return Job(
            kind=self._dataset_kind,
            dataset=self._dataset,
            auto_collation=self._auto_collation,
            collate_fn=self._collate_fn,
            drop_last=self._drop_last,
            base_seed=self._base_seed,
            init_fn=loader.worker_init_fn,
            worker_id=worker_id,
            num_workers=self._num_workers,
        )

    @property
    def _workers(self):
        """The processes, for programs that look at them."""
        return [worker.process for worker in self._processes.all]

    def _start(self):
        self._sent = self._received = 0
        self._doing = {}  # by task, which worker
        self._early = {}  # by task, what has come
        self._active = list(self._processes.all)
        self._turn = 0
        for _ in range(self._most):
            self._ask()

    def _reset(self, loader, first_iter=False):
        """The same processes, a new pass."""
        super()._reset(loader, first_iter)
        if first_iter:
            return
        for worker in self._processes.all:
            worker.unsent.clear()
            worker.ask(BEGIN_ANEW, self._shared_seed)
        # Tasks of the last pass that are still being done come before.
        waiting = self._num_workers
        while waiting:
            waiting -= self._processes.answer()[0] == BEGIN_ANEW
        for worker in self._processes.all:
            worker.owes = 0
        self._start()

    # --- tasks ------------------------------------------------------------------------------------
    def _next_worker(self):
        """Round the active ones; without an order, one that has no more to do than its share."""
        share = -(-self._most // len(self._active))
        for _ in range(len(self._active)):
            worker = self._active[self._turn % len(self._active)]
            self._turn = (self._turn + 1) % len(self._active)
            if self._in_order or worker.owes < share:
                return worker
        return None

    def _ask(self):
        if not self._active:
            return
        try:
            index = self._next_index()
        except StopIteration:
            return
        worker = self._next_worker()
        self._doing[self._sent] = worker
        worker.ask(self._sent, index)
        self._sent += 1

    def _end_of(self, worker_id):
        """A worker whose copy of an IterableDataset has no more."""
        worker = self._processes.all[worker_id]
        at = self._active.index(worker)
        self._active.remove(worker)
        if at < self._turn:
            self._turn -= 1
        # It answers none of the tasks that it had besides.
        for task in [task for task, doing in self._doing.items() if doing is worker]:
            del self._doing[task]
        worker.owes = 0
        if not self._persistent_workers:
            self._processes.retire(worker)

    # --- batches ----------------------------------------------------------------------------------
    def _next_data(self):
        while True:
            while self._received < self._sent and not self._is_due():
                self._received += 1
            if self._received in self._early:
                return self._hand_out(self._early.pop(self._received))
            if self._received == self._sent:
                self._end_of_pass()
            task, data = self._processes.answer()
            self._doing.pop(task, None)
            if isinstance(data, _IterableDatasetStopIteration):
                self._end_of(data.worker_id)
                self._ask()
            elif self._in_order and task != self._received:
                self._early[task] = data
            else:
                return self._hand_out(data)

    def _is_due(self):
        return self._received in self._doing or self._received in self._early

    def _end_of_pass(self):
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _hand_out(self, data):
        if self._in_order:
            self._received += 1
        self._ask()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return _pinned(data) if self._pin_memory else data

    def _shutdown_workers(self):
        if self._processes is not None:
            self._processes.end()

    def __del__(self):
        self._shutdown_workers()
