"""The signals of the launcher: noted for its loop, or an exception where it only waits."""

import os
import signal


class Interrupted(Exception):  # noqa: N818 - it is no error
    """A signal came while there was nobody to pass it on to."""

    def __init__(self, number):
        super().__init__(f"received {signal.Signals(number).name}")
        self.number = number


class Signals:
    """While it is entered, `descriptor` can be read as soon as a signal has come or a child has ended."""

    def __init__(self, numbers):
        self._numbers = numbers
        self.received = []
        self.raises = True

    def __enter__(self):
        self.descriptor, self._writing = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._writing, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        # What was ignored stays so, as under nohup.
        noted = [n for n in self._numbers if signal.getsignal(n) != signal.SIG_IGN]
        self._before = {n: signal.signal(n, self._note) for n in noted}
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(self, *_):
        for number, before in self._before.items():
            signal.signal(number, before)
        signal.set_wakeup_fd(-1)
        os.close(self.descriptor)
        os.close(self._writing)

    def _note(self, number, _frame):
        self.received.append(number)
        if self.raises:
            raise Interrupted(number)

    def clear(self):
        """Reads what woke the loop."""
        try:
            while os.read(self.descriptor, 4096):
                pass
        except BlockingIOError:
            pass

    def taken(self):
        """What has come since the last call."""
        taken, self.received = self.received, []
        return taken
