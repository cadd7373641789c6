"""Ends of processes: that of one that was started, noticed by who has started it, and the other way round."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import select
import threading

_LOOKS = 1.0  # seconds between looks at whether the program still runs


class ProcessEnd:
    """What can be read (by its `fileno()`) once a process has ended.

    A process's own `sentinel` is a pipe, which processes that it forks have as well: it tells the end of the
    last of them. This is the process itself, where the system has such descriptors.
    """

    def __init__(self, process):
        self._owned = None
        try:
            self._owned = os.pidfd_open(process.pid)
        except (AttributeError, OSError):  # none of this system, or ended and gone already
            self._sentinel = process.sentinel

    def fileno(self):
        return self._sentinel if self._owned is None else self._owned

    def wait(self, seconds):
        """Whether it has ended within that time."""
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    def close(self):
        if self._owned is not None:
            with contextlib.suppress(OSError):
                os.close(self._owned)
            self._owned, self._sentinel = None, -1

    def __del__(self):
        self.close()


def end_with_the_program():
    """Has this process, which another has started, end with that one, whatever it is at."""
    parent = multiprocessing.parent_process()
    threading.Thread(target=_end_with, args=(parent, os.getppid()), daemon=True).start()


def _end_with(parent, started_by):
    watched = [] if parent is None else [parent.sentinel]
    while os.getppid() == started_by:
        if multiprocessing.connection.wait(watched, _LOOKS):
            break
    os._exit(1)
