"""A program as each of many ranks, which are not there: where they would call different things."""

import contextlib
import hashlib
import json
import os
import runpy
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from opweave.distributed import _groups
from opweave.distributed.trace import flight_record
from opweave.distributed.trace.records import trace_of

RECORDED = 100_000  # collectives of a rank, which a record has room for


@dataclass(frozen=True)
class Disagreement:
    """What goes wrong first in a group, or on ranks that end before."""

    group: str  # empty where a rank raised
    number: int  # of the collective in its group, from 0 on
    text: str

    def __str__(self):
        return (
            f"group '{self.group}', collective {self.number}: {self.text}"
            if self.group
            else self.text
        )


def check(program, ranks, arguments=(), per_host=8, jobs=None, limit=300):
    """Runs a program as each of `ranks` ranks and returns a list of `Disagreement`, empty where all is well.

    Each rank is a process of its own, `jobs` of them at a time (as many as there are processors). Groups are
    'fake': what others would send is what this rank has given, and nobody waits. Letters (send and recv) are
    not compared; calls of new_group are. A rank that takes more than `limit` seconds is ended.
    ValueError where there are not at least two ranks, FileNotFoundError without the program.
    """
    if ranks < 2:
        raise ValueError(f"check(): expected at least 2 ranks, got {ranks}")
    if not Path(program).exists():
        raise FileNotFoundError(f"check(): there is no program {program}")
    kinds = _Kinds()
    with tempfile.TemporaryDirectory() as folder:
        running = {}
        for rank in range(ranks):
            if len(running) >= (jobs or len(os.sched_getaffinity(0))):
                kinds.take(*_next(running, limit))
            place = {"rank": rank, "size": ranks, "per_host": per_host, "limit": limit}
            running[_start(program, arguments, place, Path(folder, str(rank)))] = (
                rank,
                Path(folder, str(rank)),
            )
        while running:
            kinds.take(*_next(running, limit))
    return kinds.disagreements()


def _next(running, limit):
    """The rank of the process that ends next, and what it has left."""
    pid, status = os.wait()
    rank, file = running.pop(pid)
    if not file.exists():
        code = os.waitstatus_to_exitcode(status)
        late = f"it had not ended after {limit} seconds"
        return rank, {
            "error": late if code == -signal.SIGALRM else f"it ended with the status {code}"
        }
    found = json.loads(file.read_text(encoding="utf-8"))
    file.unlink()
    return rank, found


def _start(program, arguments, place, file):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, place["limit"])
            file.write_text(json.dumps(_run(program, arguments, place)), encoding="utf-8")
            status = 0
        finally:
            os._exit(status)
    return pid


def _run(program, arguments, place):
    """As this rank; what it called, by group, and the error that it ended with."""
    rank, size, per_host = place["rank"], place["size"], place["per_host"]
    os.environ.update(
        RANK=str(rank),
        WORLD_SIZE=str(size),
        LOCAL_RANK=str(rank % per_host),
        LOCAL_WORLD_SIZE=str(min(per_host, size)),
        GROUP_RANK=str(rank // per_host),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT="29500",
        TORCH_FR_BUFFER_SIZE=str(RECORDED),
    )
    _groups.pretend(rank, size)
    sys.argv = [str(program), *arguments]
    sys.path[0] = str(Path(program).parent.resolve())
    error = None
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        with contextlib.redirect_stdout(open(os.devnull, "w")):
            runpy.run_path(str(program), run_name="__main__")
    except SystemExit as end:
        error = None if end.code in (None, 0) else f"it exited with {end.code!r}"
    except BaseException as raised:
        last = traceback.extract_tb(raised.__traceback__)[-1]
        error = f"{type(raised).__name__}: {raised} ({last.filename}:{last.lineno} in {last.name})"
    parts = trace_of("the record", flight_record()).parts
    groups = {name: _calls(part) for name, part in parts.items()}
    return {"error": error, "groups": groups | {_ASKED: _asked(size)}}


# Not a group: what all ranks are asked for alike, so that they have the same groups.
_ASKED = "all, new_group()"


def _asked(size):
    calls = [
        [repr(ranks), f"new_group() of {ranges(ranks)}{f' ({where})' if where else ''}"]
        for ranks, where in _groups.world.asked
    ]
    return {"ranks": list(range(size)), "calls": calls}


def _calls(part):
    return {
        "ranks": part.ranks,
        "calls": [
            [repr(call.signature()), f"{call.described()}{f' ({call.line})' if call.line else ''}"]
            for call in part.calls
            if not call.is_letter
        ],
    }


@dataclass
class _Kind:
    """Ranks that call the same."""

    calls: list
    ranks: list = field(default_factory=list)


class _Kinds:
    """What ranks have called, kept once for all that call the same."""

    def __init__(self):
        self._groups, self._errors = {}, {}

    def take(self, rank, found):
        if found["error"]:
            self._errors.setdefault(found["error"], []).append(rank)
        for name, group in found.get("groups", {}).items():
            kinds = self._groups.setdefault((name, tuple(group["ranks"])), {})
            signatures = "\n".join(signature for signature, _ in group["calls"])
            digest = hashlib.sha256(signatures.encode()).digest()
            kinds.setdefault(digest, _Kind(group["calls"])).ranks.append(rank)

    def disagreements(self):
        found = [
            Disagreement("", 0, f"{ranges(ranks)}: {error}")
            for error, ranks in sorted(self._errors.items())
        ]
        for (name, _), kinds in self._groups.items():
            if len(kinds) > 1:
                found.append(_first(name, list(kinds.values())))
        return found


def _first(name, kinds):
    """The first call that is not the same, of kinds that differ somewhere."""
    for number in range(max(len(kind.calls) for kind in kinds)):
        said = {}
        for kind in kinds:
            call = kind.calls[number] if number < len(kind.calls) else [None, "nothing any more"]
            said.setdefault(call[0], (call[1], []))[1].extend(kind.ranks)
        if len(said) > 1:
            parts = [f"{ranges(ranks)}: {text}" for text, ranks in said.values()]
            return Disagreement(name, number, "; ".join(parts))
    raise AssertionError("kinds that do not differ")


SHOWN = 8


def ranges(ranks):
    """For example "ranks 0-2, 5" or "ranks 1-1023 by 2"; of very many the first."""
    left, shown = sorted(ranks), []
    while left and len(shown) < SHOWN:
        run = _run_of(left)
        step = run[1] - run[0] if len(run) > 1 else 1
        text = f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}"
        shown.append(text + (f" by {step}" if step > 1 else ""))
        left = left[len(run) :]
    more = f" and {len(left)} more" if left else ""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(shown)}{more}"


def _run_of(ordered):
    """The first of them that are equally far from one another: at least three, unless they are neighbours."""
    step = ordered[1] - ordered[0] if len(ordered) > 1 else 1
    end = next(
        (i for i in range(1, len(ordered)) if ordered[i] - ordered[i - 1] != step), len(ordered)
    )
    return ordered[:end] if step == 1 or end > 2 else ordered[:1]
