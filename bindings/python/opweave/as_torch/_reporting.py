"""`--report`: what was asked for and lacking, printed when a process ends."""

import atexit
import os
import sys

from opweave.as_torch import _lacking

# Set for the processes that this one starts.
_VARIABLE = "OPWEAVE_AS_TORCH_REPORT"
_NOTHING = "opweave.as_torch: nothing that was asked for is lacking\n"


def start():
    """This process and those that it starts report when they end."""
    os.environ[_VARIABLE] = "1"
    atexit.register(lambda: sys.stderr.write(_lacking.report() or _NOTHING))


def continue_in_child():
    """Reports at the end if a parent was told to; a child without a lack says nothing."""
    if os.environ.get(_VARIABLE) == "1":
        atexit.register(lambda: sys.stderr.write(_lacking.report()))
