"""What processes print: line by line to the console, each line with its rank, and as it is into files."""

import collections
import os
import re
import sys

_TAIL = 64 * 1024  # bytes of a stream that are remembered for the report of a failure
_ENDS = re.compile(rb"\r\n|\n|\r(?=.)", re.DOTALL)  # of lines; a progress bar ends its with \r


class Console:
    """A stream of the launcher's own. Nobody reads it any more: what is printed goes to files alone."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def write(self, text):
        while text and self.descriptor is not None:
            try:
                text = text[os.write(self.descriptor, text) :]
            except BlockingIOError:
                os.set_blocking(self.descriptor, True)
            except OSError:
                self.descriptor = None


class Lines:
    """Makes lines of what comes in pieces, and puts a prefix before each."""

    def __init__(self, prefix):
        self.prefix, self.begun = prefix, bytearray()

    def feed(self, data):
        """The lines that are complete."""
        if b"\n" not in data and b"\r" not in data and not self.begun.endswith(b"\r"):
            self.begun += data
            return b""
        data, made, at = bytes(self.begun) + data, [], 0
        for end in _ENDS.finditer(data):
            line, at = data[at : end.end()], end.end()
            # \r at the beginning of a line goes back to the line's own beginning.
            made.append(line if line == b"\r" else self.prefix + line)
        self.begun = bytearray(data[at:])
        return b"".join(made)

    def rest(self):
        """The last line, which nobody ended."""
        rest, self.begun = bytes(self.begun), bytearray()
        return self.prefix + rest + b"\n" if rest.strip(b"\r") else b""


class Stream:
    """stdout or stderr of one process."""

    def __init__(self, descriptor, prefix, console, file):
        """`console` and `file` may be None."""
        self.descriptor, self.console, self.file = descriptor, console, file
        self.lines = Lines(prefix)
        self.tail, self.remembered, self.taken = collections.deque(), 0, 0

    def remains(self):
        """The last that came."""
        return b"".join(self.tail)

    def read(self):
        """Takes what is there. False at the end."""
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return True
        if not data:
            return False
        self._remember(data)
        self._keep(data)
        if self.console is not None:
            self.console.write(self.lines.feed(data))
        return True

    def drain(self):
        """Takes all that is there. False at the end."""
        before = -1
        while before != self.taken:
            before = self.taken
            if not self.read():
                return False
        return True

    def _remember(self, data):
        self.taken += len(data)
        self.tail.append(data)
        self.remembered += len(data)
        while self.remembered - len(self.tail[0]) >= _TAIL:
            self.remembered -= len(self.tail.popleft())

    def _keep(self, data):
        if self.file is None:
            return
        try:
            self.file.write(data)
        except OSError as error:
            print(f"{self.file.name}: {error.strerror}; the rest is not kept", file=sys.stderr)
            self.file.close()
            self.file = None

    def close(self):
        """After the end."""
        os.close(self.descriptor)
        if self.console is not None:
            self.console.write(self.lines.rest())
        if self.file is not None:
            self.file.close()
