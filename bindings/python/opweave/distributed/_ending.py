"""Tells the launcher why this process ends, in the file that TORCHELASTIC_ERROR_FILE names."""

import atexit
import contextlib
import json
import os
import sys
import time
import traceback
from pathlib import Path


def tell(error):
    """Writes when an error was raised, and its traceback."""
    file = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if not file or Path(file).exists():
        return
    now = time.time()
    extra = {
        "py_callstack": "".join(traceback.format_exception(error)),
        "timestamp": str(int(now)),
        "opweave_time": now,  # ranks fail within milliseconds of one another
    }
    message = {"message": f"{type(error).__name__}: {error}", "extraInfo": extra}
    # Whole, or not at all: the launcher may read it now.
    written = Path(f"{file}.{os.getpid()}")
    written.write_text(json.dumps({"message": message}))
    written.rename(file)


@atexit.register
def _tell_why_the_program_ends():
    error = getattr(sys, "last_value", None)
    if error is not None:
        with contextlib.suppress(Exception):  # the program has its own worries
            tell(error)
