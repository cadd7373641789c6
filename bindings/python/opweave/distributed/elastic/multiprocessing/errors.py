"""`record`, which a program for PyTorch puts before its main function."""

import functools

from opweave.distributed import _ending


def record(fn=None):
    """Tells the launcher of an exception that leaves a function: when, and its traceback.

    A process that imports opweave.distributed does so for every exception that ends it: this is for programs
    that end otherwise, after they have caught it, and for those written for PyTorch.
    """
    if fn is None:
        return record

    @functools.wraps(fn)
    def recorded(*args, **kwargs):
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            _ending.tell(error)
            raise

    return recorded
