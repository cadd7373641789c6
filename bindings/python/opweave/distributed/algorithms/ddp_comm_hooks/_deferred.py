"""Futures of what is computed by who waits: collectives that have to begin in one order on all ranks."""

import contextlib

from opweave.futures import Future


class Deferred(Future):
    """What `compute()` returns or raises, which the first that waits calls."""

    def __init__(self, compute):
        super().__init__()
        self._compute = compute

    def result(self, timeout=None):
        compute, self._compute = self._compute, None
        if compute is not None:
            try:
                self.set_result(compute())
            except BaseException as error:  # whatever it raises is what the future has
                self.set_exception(error)
        return super().result(timeout)

    def then(self, callback):
        """A future of what `callback` returns or raises, called with this one by who waits for that."""

        def after():
            wait_for(self)
            return callback(self)

        return Deferred(after)


def wait_for(future):
    """Returns when it is done, also with an exception, which stays its own."""
    with contextlib.suppress(BaseException):
        future.wait()
