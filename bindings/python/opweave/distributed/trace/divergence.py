"""Where ranks part: the first collective of a group that not all of them were called for alike, or ended."""

from dataclasses import dataclass


@dataclass
class Divergence:
    """What went apart first in a group."""

    group: str
    sequence: int
    kind: str  # "different", "absent" or "unfinished"
    text: str
    queued: int  # when the first rank was called for it


def groups_of(traces):
    """The parts of each group, by its name."""
    groups = {}
    for trace in traces:
        for name, part in trace.parts.items():
            groups.setdefault(name, []).append(part)
    for parts in groups.values():
        parts.sort(key=lambda part: part.rank)
    return groups


def _by_sequence(part):
    return {call.sequence: call for call in part.calls if not call.is_letter}


def _named(ranks):
    return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(str(rank) for rank in ranks)


def _different(calls):
    """Ranks by what they were called for, where that is not one thing."""
    kinds = {}
    for rank, call in calls.items():
        kinds.setdefault(repr(call.signature()), []).append(rank)
    if len(kinds) < 2:
        return None
    return "; ".join(
        f"{_named(ranks)}: {calls[ranks[0]].described()}{_from(calls[ranks[0]])}"
        for ranks in kinds.values()
    )


def _from(call):
    return f" ({call.line})" if call.line else ""


def first_divergence(name, parts):
    """The first one of a group; None where all that is remembered agrees and has ended."""
    known = {part.rank: _by_sequence(part) for part in parts}
    sequences = sorted({sequence for calls in known.values() for sequence in calls})
    for sequence in sequences:
        calls = {rank: known[rank][sequence] for rank in known if sequence in known[rank]}
        # Whose ring begins later may have done it and forgotten it.
        absent = [
            rank for rank in known if rank not in calls and max(known[rank], default=-1) < sequence
        ]
        found = _judge(sequence, calls, absent, sorted(set(range(parts[0].size)) - set(known)))
        if found is not None:
            kind, text = found
            return Divergence(name, sequence, kind, text, min(c.queued for c in calls.values()))
    return None


def _judge(sequence, calls, absent, silent):
    different = _different(calls)
    if different:
        return "different", different
    unfinished = {rank: call for rank, call in calls.items() if not call.is_done}
    example = next(iter(calls.values()))
    without = f"; of {_named(silent)} there is no record" if silent else ""
    if absent:
        text = f"{example.described()}: {_named(sorted(calls))} came{_from(example)}"
        return "absent", f"{text}, {_named(absent)} did not{without}"
    if not unfinished:
        return None
    states = ", ".join(f"rank {rank} {call.state}" for rank, call in sorted(unfinished.items()))
    errors = {call.error for call in unfinished.values() if call.error}
    said = f": {sorted(errors)[0]}" if errors else ""
    return "unfinished", f"{example.described()}{_from(example)}: {states}{without}{said}"


def open_letters(parts):
    """Lines on sends and receives of a group that have not ended."""
    lines = []
    for part in parts:
        for call in part.calls:
            if call.is_letter and not call.is_done:
                peer = "any rank" if call.root == -1 else f"rank {call.root}"
                way = "to" if call.name == "send" else "from"
                lines.append(
                    f"rank {part.rank}: {call.name} {way} {peer} with the tag {call.tag}"
                    f"{_from(call)}: {call.state}"
                )
    return lines
