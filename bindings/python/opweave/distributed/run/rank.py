"""One process of an attempt: how it is started, what it prints, how it ended."""

import contextlib
import os
import signal
import subprocess
import time

from opweave.distributed.run.descendants import die_with
from opweave.distributed.run.failure import Failure, last_traceback, shortened, told
from opweave.distributed.run.output import Stream
from opweave.distributed.run.place import environment_of
from opweave.distributed.run.values import ERROR, OUT

_NAMES = {OUT: "stdout", ERROR: "stderr"}


class Rank:
    """A process of this host."""

    def __init__(self, options, place, local_rank, attempt, folder, token, consoles):
        """`folder` is its own; `consoles` are the launcher's, by OUT and ERROR."""
        self.options, self.attempt, self.folder = options, attempt, folder
        self.local_rank, self.rank = local_rank, place.first_rank + local_rank
        folder.mkdir(parents=True)
        self.error_file = folder / "error.json"
        self.streams, self.code, self.ended = {}, None, None
        environment = environment_of(place, options, local_rank, attempt, self.error_file, token)
        with contextlib.ExitStack() as theirs:
            ends = {bit: self._end_of(bit, consoles, theirs) for bit in _NAMES}
            parent = os.getpid()
            try:
                self.process = subprocess.Popen(
                    options.command_of(local_rank),
                    env=environment,
                    stdout=ends[OUT],
                    stderr=ends[ERROR],
                    start_new_session=True,
                    preexec_fn=lambda: die_with(parent),
                )
            except BaseException:
                self.close()
                raise

    def _end_of(self, bit, consoles, theirs):
        """Where the process writes: a file, or a pipe that is read here."""
        options, local_rank = self.options, self.local_rank
        redirected = options.redirects[local_rank] & ~options.tee[local_rank] & bit
        kept = options.log_dir or (options.redirects[local_rank] | options.tee[local_rank]) & bit
        # The stream closes it, or else the stack.
        file = (self.folder / f"{_NAMES[bit]}.log").open("ab", buffering=0) if kept else None
        if redirected:
            return theirs.enter_context(file)
        reading, writing = os.pipe()
        theirs.callback(os.close, writing)
        os.set_blocking(reading, False)
        console = consoles[bit] if local_rank in options.shown else None
        self.streams[bit] = Stream(reading, self._prefix(), console, file)
        return writing

    def _prefix(self):
        return self.options.template.substitute(
            role_name=self.options.role,
            local_rank=self.local_rank,
            rank=self.rank,
            hostname=self.options.name,
        ).encode()

    def poll(self):
        """Whether it ended since the last call."""
        if self.code is not None or self.process.poll() is None:
            return False
        self.code, self.ended = self.process.returncode, time.time()
        return True

    def send(self, number):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
            if number != signal.SIGKILL:
                self.process.send_signal(signal.SIGCONT)  # who is stopped does not hear it

    def failure(self):
        """How it failed, as far as it has said so."""
        when, traceback = told(self.error_file)
        if not traceback:
            traceback = last_traceback(self._last_output().decode(errors="replace"))
        return Failure(
            rank=self.rank,
            local_rank=self.local_rank,
            host=self.options.name,
            process=self.process.pid,
            code=self.code or 0,
            when=when or self.ended or time.time(),
            traceback=shortened(traceback),
        )

    def _last_output(self):
        if ERROR in self.streams:
            return self.streams[ERROR].remains()
        with contextlib.suppress(OSError), (self.folder / "stderr.log").open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - 65536, 0))
            return file.read()
        return b""

    def close(self):
        """After its end."""
        for stream in self.streams.values():
            stream.close()
