"""Makes the calls that record.py wrote in Opweave, and says what is different from PyTorch's answers.

A process makes the calls; one that it does not survive, or that takes a minute, is found, and those
after it are made by the next process.
"""

import argparse
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import known

_SECONDS = 60


def _files(folder):
    return sorted(Path(folder).glob("*.pickle"))


def work(folder, first, after):
    """Prints a line of JSON before each call, and one for each difference."""
    import opweave

    opweave.random.set_engine("mt19937")  # whose numbers are PyTorch's
    for path in _files(folder)[first:]:
        record = pickle.loads(path.read_bytes())
        _tell(file=path.name, name=record["name"])
        for number, (form, dtype, call, want) in enumerate(record["calls"]):
            if number > after:
                _tell(call=number, form=form, dtype=dtype, path=call["path"])
                _compare(opweave, call, want)
        after = -1
    _tell(done=True)


def _tell(**line):
    print(json.dumps(line), flush=True)


def _compare(module, call, want):
    from calls import LackingError, answer
    from judge import differences
    from plain import NoPlainFormError

    try:
        for kind, words in differences(want, answer(module, call)):
            _tell(kind=kind, words=words)
    except LackingError as error:
        _tell(kind="lacking", words=str(error))
    except NoPlainFormError as error:
        _tell(kind="not made", words=str(error))


class Worker:
    """A process that works, and its lines as they come."""

    def __init__(self, folder, first, after):
        words = [sys.executable, __file__, "--work", str(first), str(after), str(folder)]
        paths = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=paths)
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._process.stdout.close()
        self._lines.put(None)

    def finish(self):
        self._process.wait()
        self._reader.join()

    def next(self, seconds):
        """A line, or how the process ended before it said that it was done."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self._process.kill()
            self._process.wait()
            return {"ended": f"takes more than {seconds} seconds"}
        if line is not None:
            return json.loads(line)
        return {"ended": f"ends the process with status {self._process.wait()}"}


def replay(folder, seconds=_SECONDS):
    """All calls and differences: dicts with the operator's name, the call and the kind."""
    files = [path.name for path in _files(folder)]
    at = {"file": files[0], "call": -1}
    worker = Worker(folder, 0, -1)
    while True:
        line = worker.next(seconds)
        if "done" in line:
            return worker.finish()
        if "ended" in line:
            if "name" not in at or at["call"] < 0:
                raise RuntimeError(f"no call was made: {line['ended']}")
            yield {**at, "kind": "crash", "words": line["ended"]}
            worker = Worker(folder, files.index(at["file"]), at["call"])
        elif "kind" in line:
            yield {**at, **line}
        else:
            at = {**at, **line} if "call" in line else {"call": -1, **line}
            if "call" in line:
                yield {**at, "kind": "call", "words": ""}


# What is no difference.
FACTS = ("call", "lacking", "not made")


def report(found):
    """What is printed: a line for each difference that is not known, how many are, what is lacking."""
    different = [each for each in found if each["kind"] not in FACTS]
    new = known.unknown(different)
    for each in new:
        where = " ".join(filter(None, (each["path"], each["form"], each["dtype"])))
        yield f"{each['name']} ({where}): {each['kind']}: {each['words']}"
    made = sum(each["kind"] == "call" for each in found)
    yield f"{made} calls, {len(new)} new differences, {len(different) - len(new)} known ones:"
    counts = Counter(each["kind"] for each in different)
    yield ", ".join(f"{kind} {count}" for kind, count in counts.most_common()) or "none"
    lacking = sorted({each["words"] for each in found if each["kind"] == "lacking"})
    yield f"{len(lacking)} functions are lacking: {' '.join(lacking)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--work", nargs=2, type=int, metavar=("FILE", "CALL"))
    options = parser.parse_args()
    if options.work:
        return work(options.folder, *options.work)
    found = list(replay(options.folder))
    print("\n".join(report(found)))
    return bool(known.unknown([d for d in found if d["kind"] not in FACTS]))


if __name__ == "__main__":
    sys.exit(main())
