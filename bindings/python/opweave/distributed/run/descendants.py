"""Finds and ends what processes of a launcher have started, also after the launcher was killed."""

import contextlib
import ctypes
import os
import shutil
import signal
import time
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15
_WARDEN = b"opweave-warden"
_ROUNDS = 50  # of looking for processes that start others meanwhile
_libc = ctypes.CDLL(None)


def die_with(parent):
    """The calling process is killed when its parent ends; at once, if that has happened."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _belongs(process, mark, sessions):
    """Whether it lives and is below the launcher: by its environment, or its session, one of a rank's.

    The warden of a launcher below this one has work to do when that one is killed, and ends by itself.
    """
    try:
        stat = (process / "stat").read_bytes()
    except OSError:
        return False
    name, _, rest = stat.rpartition(b")")
    state, _, _, session = rest.split()[:4]
    if state in (b"Z", b"X") or name.endswith(b"(" + _WARDEN):
        return False
    if int(session) in sessions:
        return True
    try:
        return mark in (process / "environ").read_bytes()
    except OSError:  # another user's
        return False


def descendants(token, sessions=()):
    """The processes that live below the launcher with a token."""
    found, mark = [], token.encode()
    with contextlib.suppress(OSError):  # a system without /proc
        for process in Path("/proc").iterdir():
            is_other = process.name.isdigit() and int(process.name) != os.getpid()
            if is_other and _belongs(process, mark, sessions):
                found.append(int(process.name))
    return found


def send(processes, number):
    """A signal to processes, some of which may have ended."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def kill_all(token, sessions):
    """Until there are none. What cannot be killed stays."""
    for _ in range(_ROUNDS):
        left = descendants(token, sessions)
        if not left:
            return
        send(left, signal.SIGKILL)
        time.sleep(0.01)


class Warden:
    """A process that outlives the launcher and kills what is left of its ranks.

    It is forked before the launcher has threads. `scrap` is a folder that is removed in the end, or None.
    """

    def __init__(self, token, scrap=None):
        reading, self._pipe = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                os.close(self._pipe)
                _guard(reading, token, scrap)
            finally:
                os._exit(0)
        os.close(reading)

    def watch(self, ranks):
        """These processes lead the sessions that count from now on."""
        with contextlib.suppress(BrokenPipeError):  # somebody killed it
            os.write(self._pipe, b"=" + b" ".join(b"%d" % rank for rank in ranks) + b"\n")

    def close(self):
        os.close(self._pipe)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)


def _guard(reading, token, scrap):
    os.setsid()
    _libc.prctl(_PR_SET_NAME, _WARDEN)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.dup2(reading, 3)
    os.closerange(4, 1024)
    told = b""
    while piece := os.read(3, 65536):
        told = (told + piece)[-(2**20) :]
    last = told.rpartition(b"=")[2].split()
    kill_all(token, {int(rank) for rank in last})
    if scrap is not None:
        shutil.rmtree(scrap, ignore_errors=True)
