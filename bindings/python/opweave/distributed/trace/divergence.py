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


class _Names:
    """Ranks of a group by their ranks in the world, where those are known."""

    def __init__(self, ranks):
        self.ranks = ranks

    def __call__(self, ranks):
        """For example "ranks 2, 3"; of very many the first."""
        shown = [str(self.ranks[r] if r < len(self.ranks) else r) for r in ranks[:20]]
        more = f" and {len(ranks) - 20} more" if len(ranks) > 20 else ""
        return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(shown) + more


def _different(named, calls):
    """Ranks by what they were called for, where that is not one thing."""
    kinds = {}
    for rank, call in calls.items():
        kinds.setdefault(repr(call.signature()), []).append(rank)
    if len(kinds) < 2:
        return None
    return "; ".join(
        f"{named(ranks)}: {calls[ranks[0]].described()}{_from(calls[ranks[0]])}"
        for ranks in kinds.values()
    )


def _from(call):
    return f" ({call.line})" if call.line else ""


def first_divergence(name, parts):
    """The first one of a group; None where all that is remembered agrees and has ended."""
    known = {part.rank: _by_sequence(part) for part in parts}
    ranks = max((part.ranks for part in parts), key=len, default=())
    sequences = sorted({sequence for calls in known.values() for sequence in calls})
    for sequence in sequences:
        calls = {rank: known[rank][sequence] for rank in known if sequence in known[rank]}
        # Whose ring begins later may have done it and forgotten it.
        absent = [
            rank for rank in known if rank not in calls and max(known[rank], default=-1) < sequence
        ]
        silent = sorted(set(range(parts[0].size)) - set(known))
        found = _judge(_Names(ranks), calls, absent, silent)
        if found is not None:
            kind, text = found
            return Divergence(name, sequence, kind, text, min(c.queued for c in calls.values()))
    return None


def _judge(named, calls, absent, silent):
    different = _different(named, calls)
    if different:
        return "different", different
    unfinished = {rank: call for rank, call in calls.items() if not call.is_done}
    example = next(iter(calls.values()))
    without = f"; of {named(silent)} there is no record" if silent else ""
    if absent:
        text = f"{example.described()}: {named(sorted(calls))} came{_from(example)}"
        return "absent", f"{text}, {named(absent)} did not{without}"
    if not unfinished:
        return None
    states = ", ".join(f"{named([rank])} {call.state}" for rank, call in sorted(unfinished.items()))
    errors = {call.error for call in unfinished.values() if call.error}
    said = f": {sorted(errors)[0]}" if errors else ""
    return "unfinished", f"{example.described()}{_from(example)}: {states}{without}{said}"


def open_letters(parts):
    """Lines on sends and receives of a group that have not ended."""
    lines = []
    for part in parts:
        named = _Names(part.ranks)
        for call in part.calls:
            if call.is_letter and not call.is_done:
                peer = "any rank" if call.root == -1 else named([call.root])
                way = "to" if call.name == "send" else "from"
                lines.append(
                    f"{named([part.rank])}: {call.name} {way} {peer} with the tag {call.tag}"
                    f"{_from(call)}: {call.state}"
                )
    return lines
