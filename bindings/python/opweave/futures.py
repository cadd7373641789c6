"""Results that come later, with PyTorch's names: what a Work's `get_future()` returns, and programs make."""

import concurrent.futures


class Future(concurrent.futures.Future):
    """A result that another thread sets, or an exception.

    Args:
        devices: those on which results may be. All are, once this one is done: for programs that name them.
    """

    def __init__(self, *, devices=None):
        super().__init__()
        self.devices = devices

    def wait(self):
        """The result, once it is there; raises the exception that was set."""
        return self.result()

    def value(self):
        """The result, which is there. RuntimeError where it is not."""
        if not self.done():
            raise RuntimeError("value(): the future is not done; wait() waits for it")
        return self.result()

    def then(self, callback):
        """A future of what `callback` returns or raises, which is called with this one once it is done."""
        following = Future(devices=self.devices)

        def go_on(done):
            try:
                result = callback(done)
            except BaseException as error:  # whatever it raises is what the future has
                following.set_exception(error)
            else:
                following.set_result(result)

        self.add_done_callback(go_on)
        return following

    def set_result(self, result):
        """Says what the result is, once."""
        try:
            super().set_result(result)
        except concurrent.futures.InvalidStateError:
            raise RuntimeError("set_result(): the future is done already") from None

    def set_exception(self, result):
        """Says what waiting for it raises, once."""
        if not isinstance(result, BaseException):
            raise TypeError(f"set_exception(): expected an exception, got {type(result).__name__}")
        try:
            super().set_exception(result)
        except concurrent.futures.InvalidStateError:
            raise RuntimeError("set_exception(): the future is done already") from None


def collect_all(futures):
    """A future of the list of futures, done when all of them are."""
    futures, collected = list(futures), Future()
    left = [len(futures)]

    def count(_):
        left[0] -= 1  # callbacks hold the interpreter lock
        if left[0] == 0:
            collected.set_result(futures)

    for future in futures:
        future.add_done_callback(count)
    if not futures:
        collected.set_result(futures)
    return collected


def wait_all(futures):
    """The results of all futures; raises the first exception, once all are done."""
    return [future.wait() for future in collect_all(futures).wait()]


def _of_work(work):
    """The future of a Work's results."""
    future = Future()

    def finish():
        try:
            work.wait()
        except BaseException as error:  # the same that wait() raises
            future.set_exception(error)
        else:
            future.set_result(work.result())

    work._when_done(finish)
    return future
