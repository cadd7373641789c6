"""Runs a function in several processes, and raises what goes wrong in one of them."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

from opweave._processes import ProcessEnd, end_with_the_program

__all__ = [
    "ENV_VAR_PARALLEL_START",
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]

# "1" has processes of the start method forkserver start beside one another.
ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"


class ProcessException(Exception):  # noqa: N818 - PyTorch's name
    """A process that did not end well.

    Attributes:
        msg: what is known of it.
        error_index: which of the processes.
        error_pid: its number in the system.
    """

    __slots__ = ["error_index", "error_pid"]

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """It raised; `msg` holds its own traceback."""


class ProcessExitedException(ProcessException):
    """It ended with a status, or by a signal (`signal_name`; else None)."""

    __slots__ = ["exit_code"]

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (
            self.msg,
            self.error_index,
            self.error_pid,
            self.exit_code,
            self.signal_name,
        )


def _run(fn, index, args, reports):
    """In the process: what it raises goes to the one that has started it, with which it ends."""
    end_with_the_program()
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # that one is interrupted as well
    except Exception:
        reports.send_bytes(pickle.dumps(traceback.format_exc()))
        sys.exit(1)


class ProcessContext:
    """Processes that run, and what each reports."""

    def __init__(self, processes, reports):
        self.processes, self.reports = processes, reports
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}
        self._ends = [ProcessEnd(process) for process in processes]
        self._running = {end: i for i, end in enumerate(self._ends)}
        self._unread = {report: i for i, report in enumerate(reports)}
        self._said = {}

    def pids(self):
        """The numbers of the processes in the system."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Waits until one has ended: True once all have, and well; False if some still run.

        Where one has not ended well the others are terminated, and killed after `grace_period`
        seconds (None: 30) if they do not heed that.

        Args:
            timeout: the longest wait in seconds; None for no limit.

        Raises:
            ProcessRaisedException: it raised; with its traceback.
            ProcessExitedException: it ended with a status that is not 0, or by a signal.
        """
        if not self.sentinels:
            return True
        failed = None
        for index in self._ended(timeout):
            process = self.processes[index]
            self.sentinels.pop(process.sentinel)
            process.join()
            if self.processes[index].exitcode != 0 and failed is None:
                failed = index
        if failed is None:
            return not self.sentinels
        self._end_all(30 if grace_period is None else grace_period)
        self._raise(failed)

    def _ended(self, timeout):
        """Which processes have ended meanwhile; reports are read, or a long one would not end."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0, end - time.monotonic())
            ready = multiprocessing.connection.wait([*self._running, *self._unread], left)
            for report in ready:
                if report in self._unread:
                    self._read(report)
            ended = [self._running.pop(one) for one in ready if one in self._running]
            if ended or not ready:
                return ended

    def _read(self, report):
        index = self._unread.pop(report)
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            self._said[index] = pickle.loads(report.recv_bytes())

    def _end_all(self, grace_period):
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        end = time.monotonic() + grace_period
        for one in self._ends:
            one.wait(end - time.monotonic())
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()

    def _raise(self, index):
        process = self.processes[index]
        report = self.reports[index]
        if report in self._unread and report.poll(0):
            self._read(report)
        if index in self._said:
            raise ProcessRaisedException(
                f"\n\n-- Process {index} terminated with the following error:\n{self._said[index]}",
                error_index=index,
                error_pid=process.pid,
            )
        code = process.exitcode
        name = _signal_name(-code) if code < 0 else None
        how = f"signal {name}" if name else f"exit code {code}"
        raise ProcessExitedException(
            f"process {index} terminated with {how}",
            error_index=index,
            error_pid=process.pid,
            exit_code=code,
            signal_name=name,
        )


class SpawnContext(ProcessContext):
    """A ProcessContext of processes that were spawned."""

    def __init__(self, processes, reports):
        warnings.warn("SpawnContext is renamed to ProcessContext", FutureWarning, stacklevel=2)
        super().__init__(processes, reports)


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"<Unknown signal {number}>"


def _check(fn, nprocs, start_method):
    if not callable(fn):
        raise TypeError(f"start_processes: fn must be callable, but got {type(fn).__name__}")
    if isinstance(nprocs, bool) or not isinstance(nprocs, int):
        raise TypeError(f"start_processes: nprocs must be an int, but got {type(nprocs).__name__}")
    methods = multiprocessing.get_all_start_methods()
    if start_method is not None and start_method not in methods:
        raise ValueError(
            f"cannot find context for {start_method!r}; start_method is one of {methods}"
        )


def start_processes(
    fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn", numa_options=None
):
    """Runs `fn(i, *args)` in `nprocs` processes, i from 0 on.

    Args:
        fn: a function of a module's top level, unless processes are forked.
        args: its further arguments; tensors among them are shared with the processes.
        nprocs: how many.
        join: whether to wait until all have ended; else a ProcessContext is returned, whose join() does.
        daemon: whether they end with this process.
        start_method: "spawn", "fork" or "forkserver".
        numa_options: not supported; must be None.

    Raises:
        ProcessRaisedException, ProcessExitedException: one did not end well; the others are ended.
    """
    _check(fn, nprocs, start_method)
    if numa_options is not None:
        raise NotImplementedError(
            "start_processes: numa_options are not supported; start the program under numactl"
        )
    context = _start(multiprocessing.get_context(start_method), fn, args, nprocs, daemon)
    if not join:
        return context
    while not context.join():
        pass
    return None


def _start(mp, fn, args, nprocs, daemon):
    processes, reports = [None] * nprocs, [None] * nprocs

    def start(index):
        receiver, sender = mp.Pipe(duplex=False)
        process = mp.Process(target=_run, args=(fn, index, args, sender), daemon=daemon)
        process.start()
        sender.close()
        processes[index], reports[index] = process, receiver

    at_once = os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1"
    if at_once and mp.get_start_method() == "forkserver" and nprocs > 1:
        with ThreadPoolExecutor(nprocs) as threads:
            list(threads.map(start, range(nprocs)))
    else:
        for index in range(nprocs):
            start(index)
    return ProcessContext(processes, reports)


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """start_processes() with processes that are spawned.

    Raises:
        ProcessRaisedException, ProcessExitedException: as start_processes() does.
    """
    if start_method != "spawn":
        warnings.warn(
            "This method only supports start_method=spawn (got: "
            f"{start_method}).\nTo use a different start_method use:\n\t\t"
            " torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
