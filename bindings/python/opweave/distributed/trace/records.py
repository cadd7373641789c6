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

    group: str  # with its number, where it is not the first of its name
    rank: int  # in the group
    size: int
    world_rank: int
    failure: str
    ranks: list  # in the world, by the rank in the group
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
    return [_text(f"{dtype}{size}") for dtype, size in zip(dtypes, sizes, strict=True)]


def _line(frames):
    if not frames:
        return ""
    first = frames[0]
    return _text(f"{first['filename']}:{first['line']} in {first['name']}")


def _optional(read, value):
    return None if value is None else read(value)


def _call(entry):
    letter = entry["is_p2p"]
    return Call(
        name=_text(entry["profiling_name"]).split(":")[-1],
        sequence=_number(entry["p2p_seq_id" if letter else "collective_seq_id"]),
        state=_text(entry["state"]),
        inputs=_tensors(entry, "input"),
        outputs=_tensors(entry, "output"),
        root=_optional(int, entry.get("root")),
        tag=_optional(int, entry.get("tag")),
        is_letter=bool(letter),
        may_differ=entry["sizes_may_differ"],
        queued=_number(entry["time_created_ns"]),
        started=_optional(_number, entry["time_discovered_started_ns"]),
        ended=_optional(_number, entry["time_discovered_completed_ns"]),
        error=_optional(_text, entry.get("error")),
        line=_line(entry["frames"]),
    )


def read(path):
    """The trace in a file. ValueError that says what is wrong with it."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return trace_of(path, record)


def trace_of(path, record):
    """The trace in a record, which came from `path`. ValueError that says what is wrong with it."""
    if not isinstance(record, dict) or "entries" not in record:
        raise ValueError(f"{path}: this is no flight record: it has no entries")
    try:
        return _trace(path, record)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{path}: this is no flight record: {type(error).__name__}: {error}"
        ) from None


def _number(value, least=0, most=2**63):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"expected a whole number from {least} to {most}, got {value!r:.50}")
    return value


def _text(value):
    """What can be printed on one line, whoever wrote it."""
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got {type(value).__name__}")
    return "".join(c if c.isprintable() else " " for c in value)


def _called(name, generation):
    return _text(name) + (f" ({generation + 1} of its name)" if _number(generation) else "")


_MOST_RANKS = 1_000_000


def _trace(path, record):
    parts, world = {}, _number(record["rank"], most=_MOST_RANKS)
    for name, config in record["pg_config"].items():
        size = _number(config["size"], 1, _MOST_RANKS)
        ranks = [_number(r, most=_MOST_RANKS) for r in config["ranks"]]
        called = _called(name, config["generation"])
        failure = _text(record["pg_status"][name]["failure"])
        rank = _number(config["rank"], most=size - 1)
        parts[called] = Part(called, rank, size, world, failure, ranks, [])
    for entry in record["entries"]:
        name = _called(entry["process_group"][0], entry["pg_generation"])
        if name not in parts:  # a group that was left
            size = _number(entry["pg_size"], 1, _MOST_RANKS)
            parts[name] = Part(name, _number(entry["rank"], most=size - 1), size, world, "", [], [])
        parts[name].calls.append(_call(entry))
    written, host = _number(record["time_ns"]), _text(record["host"])
    return Trace(Path(path), world, host, _text(record["reason"]), written, parts)


def read_folder(folder):
    """The traces of a folder, by rank, and what is wrong with other files that look like one.

    Files whose names end with the number of a rank, or in .json, are looked at.
    """
    traces, wrong = {}, []
    for path in sorted(Path(folder).iterdir()):
        if not path.is_file() or not (path.suffix == ".json" or path.name[-1:].isdigit()):
            continue
        try:
            trace = read(path)
        except (ValueError, OSError, RecursionError) as error:
            wrong.append(
                _text(f"{path}: too deep" if isinstance(error, RecursionError) else str(error))
            )
            continue
        other = traces.get(trace.rank)
        if other is None or other.written < trace.written:
            traces[trace.rank] = trace
    return [traces[rank] for rank in sorted(traces)], wrong
