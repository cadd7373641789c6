"""What a rank that failed leaves behind, and how that is reported: the first traceback comes last."""

import datetime
import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path

_LIMIT = 16 * 1024  # characters of a traceback, which goes through the store
_LINES = 20  # of stderr, where there is no traceback
_BEGIN = re.compile(
    r"^[ \t]*(\+ Exception Group )?Traceback \(most recent call last\):$", re.MULTILINE
)
# Between a traceback and that of what it was raised for.
_CHAINS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)


@dataclass
class Failure:
    """A rank that ended with an error."""

    rank: int
    local_rank: int
    host: str
    process: int
    code: int  # the exit code, or a signal's number below 0
    when: float  # since 1970
    traceback: str


def last_traceback(text):
    """The last traceback in what a process printed, with those that led to it; else its last lines."""
    begins = list(_BEGIN.finditer(text))
    if not begins:
        return "\n".join(text.rstrip().splitlines()[-_LINES:])
    begin = begins.pop().start()
    while begins and text[:begin].rstrip().endswith(_CHAINS):
        begin = begins.pop().start()
    return text[begin:].rstrip()


def shortened(text):
    """The beginning and, mostly, the end of a long text."""
    if len(text) <= _LIMIT:
        return text
    return text[: _LIMIT // 4] + "\n[…]\n" + text[-_LIMIT * 3 // 4 :]


def told(error_file):
    """What a rank wrote of its own failure: when, and its traceback. (None, "") where it did not."""
    try:
        message = json.loads(Path(error_file).read_text())["message"]
        if isinstance(message, str):
            return None, message
        extra = message["extraInfo"]
        when = float(extra.get("opweave_time", extra["timestamp"]))
        return when, str(extra.get("py_callstack") or message["message"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, ""


def ending(code):
    """`1`, or `-9` with the name of the signal, as torchrun has them."""
    if code >= 0:
        return f"{code}"
    try:
        return f"{code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"{code}"


def _entry(number, failure):
    when = datetime.datetime.fromtimestamp(failure.when).strftime("%Y-%m-%d_%H:%M:%S.%f")[:-3]
    return [
        f"[{number}]:",
        f"  time      : {when}",
        f"  host      : {failure.host}",
        f"  rank      : {failure.rank} (local_rank: {failure.local_rank})",
        f"  exitcode  : {ending(failure.code)} (pid: {failure.process})",
    ]


def report(script, first, others, restarts):
    """The text for the console."""
    lines = ["=" * 60, f"{script} FAILED", "-" * 60]
    if restarts:
        lines.append(f"after {restarts} restart{'s' * (restarts > 1)}")
    if others:
        lines.append("Other failures:")
        for number, failure in enumerate(others, 1):
            lines += _entry(number, failure)
    lines.append("First failure:")
    lines += _entry(0, first)
    if first.traceback:
        lines.append(
            "  its last output:" if "Traceback" not in first.traceback else "  traceback :"
        )
        lines += ["    " + line for line in first.traceback.splitlines()]
    return "\n".join([*lines, "=" * 60])
