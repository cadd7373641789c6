"""What helps people who look for a mistake: names of collectives in reports, and a debugger on one rank."""

import contextlib
import pdb
import sys
from datetime import timedelta

from opweave._distributed import _set_collective_title
from opweave.distributed import _arguments, _groups
from opweave.distributed._collectives import barrier

_passed = {}  # by the line that called, how often


def record_comm(name):
    """The collectives that this thread calls in the block have this name in the flight record."""
    return _named(_arguments.expect(name, str, "record_comm()", "name", "a str"))


@contextlib.contextmanager
def _named(name):
    before = _set_collective_title(name)
    try:
        yield
    finally:
        _set_collective_title(before)


class _Debugger(pdb.Pdb):
    """One that reads the terminal, which launchers do not give to the processes they start."""

    def interaction(self, *arguments, **options):
        before = sys.stdin
        with open("/dev/stdin", encoding="utf-8") as sys.stdin:
            try:
                super().interaction(*arguments, **options)
            finally:
                sys.stdin = before


def breakpoint(rank=0, skip=0, timeout_s=3600):
    """Stops one rank in the debugger, while the others wait; a call of every process.

    Args:
        skip: how many calls of this line are passed over first.
        timeout_s: the timeout of all groups from now on; None leaves them as they are.
    """
    caller = sys._getframe(1)
    line = (caller.f_code, caller.f_lineno)
    _passed[line] = _passed.get(line, 0) + 1
    if _passed[line] <= skip:
        return
    for group in list(_groups.world.groups) if timeout_s is not None else ():
        _groups.set_timeout(timedelta(seconds=timeout_s), group)
    if _groups.get_rank() == rank:
        _Debugger().set_trace(caller)
    barrier()
