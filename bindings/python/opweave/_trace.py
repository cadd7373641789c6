"""opweave.trace_operators: which operators a program calls, as a selection for a build with those alone.

OPWEAVE_TRACE=FILE in the environment traces a whole program.
"""

import atexit
import contextlib
import pathlib

from opweave import _C


@contextlib.contextmanager
def trace_operators(file=None):
    """Notes the operators that are called inside of the block, at whatever depth, with their dtypes.

    Gives a list whose one element, at the end of the block, is the text of the selection; it is
    written to `file` as well, if there is one.
    """
    text = []
    _C._start_trace()
    try:
        yield text
    finally:
        text.append(_C._stop_trace())
        if file is not None:
            pathlib.Path(file).write_text(text[0], encoding="utf-8")


def trace_program(file):
    """Traces from now to the end of the program."""
    trace = trace_operators(file)
    trace.__enter__()
    atexit.register(trace.__exit__, None, None, None)
