"""Flight records as files have them: read, and checked as far as the report needs it."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Call:
    """A collective, as one rank knows it."""

    name: str  # "all_reduce(sum)"
    sequence: int
    state: str
    inputs: list
    outputs: list
    root: int | None
    tag: int | None
    is_letter: bool
    may_differ: bool  # the sizes of the ranks
    queued: int  # nanoseconds
    started: int | None
    ended: int | None
    error: str | None
    line: str  # "train.py:42 in step"; empty where it is not known

    @property
    def is_done(self):
        return self.state == "completed"

    def signature(self):
        """What has to be the same on all ranks."""
        sizes = None if self.may_differ else [self.inputs, self.outputs]
        return [self.name, self.root, sizes]

    def described(self):
        """As reports speak of it: "all_reduce(sum) of float32[4]"."""
        tensors = self.inputs or self.outputs
        root = "" if self.root is None else f" with the root {self.root}"
        shown = ", ".join(tensors[:3]) + (" …" if len(tensors) > 3 else "")
        return self.name + root + (f" of {shown}" if tensors else "")


@dataclass
class Part:
    """What one rank knows of one group."""

    group: str
    rank: int  # in the group
    size: int
    world_rank: int
    failure: str
    calls: list


@dataclass
class Trace:
    """The file of one rank."""

    path: Path
    rank: int
    host: str
    reason: str
    written: int  # nanoseconds
    parts: dict  # by the name of the group


def _tensors(entry, which):
    sizes, dtypes = entry[f"{which}_sizes"], entry[f"{which}_dtypes"]
    return [f"{dtype}{size}" for dtype, size in zip(dtypes, sizes, strict=True)]


def _line(frames):
    if not frames:
        return ""
    first = frames[0]
    return f"{first['filename']}:{first['line']} in {first['name']}"


def _call(entry):
    letter = entry["is_p2p"]
    return Call(
        name=entry["profiling_name"].split(":")[-1],
        sequence=entry["p2p_seq_id" if letter else "collective_seq_id"],
        state=entry["state"],
        inputs=_tensors(entry, "input"),
        outputs=_tensors(entry, "output"),
        root=entry.get("root"),
        tag=entry.get("tag"),
        is_letter=letter,
        may_differ=entry["sizes_may_differ"],
        queued=entry["time_created_ns"],
        started=entry["time_discovered_started_ns"],
        ended=entry["time_discovered_completed_ns"],
        error=entry.get("error"),
        line=_line(entry["frames"]),
    )


def read(path):
    """The trace in a file. ValueError that says what is wrong with it."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(record, dict) or "entries" not in record:
        raise ValueError(f"{path}: this is no flight record: it has no entries")
    try:
        return _trace(path, record)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ValueError(
            f"{path}: this is no flight record: {type(error).__name__}: {error}"
        ) from None


def _trace(path, record):
    parts = {}
    for name, config in record["pg_config"].items():
        failure = record["pg_status"][name]["failure"]
        parts[name] = Part(name, config["rank"], config["size"], record["rank"], failure, [])
    for entry in record["entries"]:
        name = entry["process_group"][0]
        if name not in parts:  # a group that was left
            parts[name] = Part(name, entry["rank"], entry["pg_size"], record["rank"], "", [])
        parts[name].calls.append(_call(entry))
    written = int(record["time_ns"])
    return Trace(Path(path), record["rank"], record["host"], record["reason"], written, parts)


def read_folder(folder):
    """The traces of a folder, by rank, and what is wrong with other files that look like one.

    A file that has "rank_" and digits at the end of its name, or ends in .json, is looked at.
    """
    traces, wrong = {}, []
    for path in sorted(Path(folder).iterdir()):
        stem, _, number = path.name.rpartition("rank_")
        if not path.is_file() or not (path.suffix == ".json" or (stem and number.isdigit())):
            continue
        try:
            trace = read(path)
        except (ValueError, OSError) as error:
            wrong.append(str(error))
            continue
        other = traces.get(trace.rank)
        if other is None or other.written < trace.written:
            traces[trace.rank] = trace
    return [traces[rank] for rank in sorted(traces)], wrong
