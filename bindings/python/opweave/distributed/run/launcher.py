"""The launcher of one host: meets the others, starts the processes, and again after failures."""

import contextlib
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

from opweave.distributed.run import arguments
from opweave.distributed.run.attempt import Attempt
from opweave.distributed.run.descendants import Warden
from opweave.distributed.run.failure import ending, report
from opweave.distributed.run.hosts import Hosts
from opweave.distributed.run.meeting import Alone, MeetingError
from opweave.distributed.run.signals import Interrupted, Signals

_NAME = "opweave.distributed.run"


def say(text):
    """To the user, beside what the processes print."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


class Folder:
    """Where the run keeps what its processes print and say of their failures; removed if nobody wants it."""

    def __init__(self, options):
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in options.run_id)
        prefix = f"{name}_" if options.log_dir else f"opweave_run_{name}_"
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=options.log_dir))
        asked = any(options.redirects) or any(options.tee)
        self.is_scrap = options.log_dir is None and not asked
        if asked and options.log_dir is None:
            say(f"{_NAME}: output is kept in {self.path}")

    def close(self):
        if self.is_scrap:
            shutil.rmtree(self.path, ignore_errors=True)


def main(argv=None, parser=None):
    """Runs what a command line says. Returns 0, 1 after a failure or a signal, 2 for a wrong command.

    `parser` is that of a command with flags of its own, in place of get_args_parser().
    """
    options = arguments.read(argv, parser)
    try:
        folder = Folder(options)
    except OSError as error:
        say(f"{_NAME}: error: --log-dir: {error.filename}: {error.strerror}")
        return 2
    token = secrets.token_hex(16)
    warden = Warden(token, folder.path if folder.is_scrap else None)
    try:
        with Signals(options.signals) as signals:
            return _run(options, folder.path, token, signals, warden)
    except Interrupted as interrupted:
        say(f"{_NAME}: {interrupted}")
    except MeetingError as error:
        say(f"{_NAME}: error: {error}")
    except OSError as error:
        say(f"{_NAME}: error: {options.command[0]!r} cannot be run: {error}")
    finally:
        folder.close()
        warden.close()
    return 1


def _run(options, folder, token, signals, warden):
    with Alone(options) if options.backend == "alone" else Hosts(options) as meeting:
        for number in range(options.max_restarts + 1):
            place = meeting.meet(number)
            outcome = Attempt(options, place, number, folder, token, signals, meeting, warden).run()
            if outcome.kind != "failure":
                break
            if number < options.max_restarts:
                first = outcome.first
                say(
                    f"{_NAME}: rank {first.rank} on {first.host} has failed, exit code {ending(first.code)}; "
                    f"all start again ({number + 1} of {options.max_restarts})"
                )
        return _end(options, outcome, number)


def _end(options, outcome, restarts):
    if outcome.kind == "done":
        return 0
    if outcome.kind == "failure":
        say(report(options.script, outcome.first, outcome.others, restarts))
    else:
        say(f"{_NAME}: {outcome.text}: all processes were ended")
    return 1
