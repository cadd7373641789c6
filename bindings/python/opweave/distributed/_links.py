"""What the links between the ranks of a group are like, and what follows from it."""

import json
import math
import os
import socket
import time
import warnings
from contextlib import suppress
from pathlib import Path
from statistics import median

from opweave import _C
from opweave._distributed import _BUCKET
from opweave.distributed import _arguments
from opweave.distributed._collectives import all_reduce, barrier, broadcast
from opweave.distributed._groups import (
    destroy_process_group,
    get_backend,
    member,
    new_group,
    world,
)
from opweave.distributed._objects import all_gather_object

_FIELDS = ("latency", "gap", "bandwidth")
# How many words are timed, and bursts, and how many words these have.
_WORDS, _BURSTS, _BURST = 30, 5, 16
# Bytes, at first, and where that has taken less than so many seconds.
_TRIED, _QUICK, _BULK = 2**20, 0.01, 16 * 2**20
_MILLISECOND, _MIB = 1e-3, 2**20
_MOST_TURNS = 9  # between hosts


def explain(nbytes, group=None):
    """How an all_reduce of `nbytes` goes in a group, and why: a text of several lines.

    A line for each way, with the seconds that it should take, what the links are taken to be like (see
    measure_links), and how large buckets of gradients are that nobody has said the size of. RuntimeError
    where the group's backend is not one of Opweave's.
    """
    _arguments.expect(nbytes, int, "explain()", "nbytes", "an int")
    if not 0 <= nbytes < 2**63:
        raise ValueError(f"explain(): nbytes: expected the size of a tensor, got {nbytes}")
    own, known = member(group)
    buckets = f"{_BUCKET // _MIB} MiB, as links were not measured"
    if known.links:
        buckets = f"{bucket_cap_mb(known.links):.3g} MiB, by what the slowest link carries in 1 ms"
    return f"{own._explain(nbytes)}\n  buckets of gradients: {buckets}"


def links_of(group):
    """What `measure_links` has found of a group; empty where it was not called."""
    known = world.groups.get(group)
    return {} if known is None else known.links


def bucket_cap_mb(links):
    """How large a bucket of gradients should be, in MiB, from what measure_links has returned.

    What the slowest link carries in a millisecond, at least 1 and at most 100 MiB: in smaller ones latencies
    count, in larger ones gradients wait for one another. 100 where there are no links, of a single rank.
    """
    _arguments.expect(
        links, dict, "bucket_cap_mb()", "links", "what measure_links() returns, a dict"
    )
    slowest = min((_bandwidth(kind, link) for kind, link in links.items()), default=math.inf)
    return min(max(slowest * _MILLISECOND / _MIB, 1.0), 100.0)


def _bandwidth(kind, link):
    bandwidth = link.get("bandwidth") if isinstance(link, dict) else None
    if not isinstance(bandwidth, float | int) or not bandwidth > 0:
        raise ValueError(
            f"bucket_cap_mb(): links: expected what measure_links() returns, whose {kind!r} has a "
            f"'bandwidth' above 0, got {link!r}"
        )
    return bandwidth


def measure_links(group=None, seconds=0.3, cache=None):
    """Measures what the links within a host and between hosts are like; a call of every rank.

    Returns {"within": {...}, "between": {...}}, the latter where the group has several hosts, each with
    "latency" and "gap" in seconds and "bandwidth" in bytes a second (LogGP's model), equal on all ranks; from
    then on the group chooses the ways of its collectives by them. Links are measured in turns, by collectives
    of two ranks in groups of their own: each host's within, then those between hosts, of which in a turn each
    host has one (of more than 10 hosts only some pairs are tried). All turns together take about `seconds`,
    and the time until groups are made; the slowest link of a kind counts. `cache` is a file of rank 0:
    what it has of these hosts is not measured again; what is no link there, is. A RuntimeWarning says where
    it cannot be written. ValueError where `seconds` is not positive, or infinite.
    """
    _arguments.expect(seconds, float | int, "measure_links()", "seconds", "a number")
    _arguments.expect(cache, str | os.PathLike | None, "measure_links()", "cache", "a path or None")
    if not 0 < seconds < math.inf:
        raise ValueError(f"measure_links(): seconds must be positive, got {seconds}")
    own, known = member(group)
    turns = _turns(own._hosts() or [0] * own.size())
    pairs = [pair for _, together in turns for pair in together]
    names = [""] * own.size()
    all_gather_object(names, socket.gethostname(), group=group)
    kept = _Kept(cache, get_backend(group), names)
    found = _C.zeros(len(pairs), 3, dtype=_C.float64)
    if own.rank() == 0:
        for row, pair in zip(found, pairs, strict=True):
            row.copy_(_C.tensor(kept.find(pair), dtype=_C.float64))
    broadcast(found, group=group, group_src=0)
    _measure_missing(turns, dict(zip(pairs, found, strict=True)), group, seconds)
    if own.rank() == 0:
        kept.keep(pairs, found.tolist())
    known.links = _of_kinds(turns, dict(zip(pairs, found.tolist(), strict=True)))
    barrier(group)
    if pairs:
        within, between = known.links.get("within"), known.links.get("between")
        own._set_links(*(list((link or between or within).values()) for link in (within, between)))
    return {kind: dict(link) for kind, link in known.links.items()}


def measures_at_start(group):
    """Measures the links of a group that is about to train, where OPWEAVE_MEASURE_LINKS says so."""
    setting = os.environ.get("OPWEAVE_MEASURE_LINKS", "0")
    if setting != "0" and group.size() > 1 and not links_of(group):
        measure_links(group, cache=None if setting == "1" else setting)


def _measure_missing(turns, rows, group, seconds):
    """Fills the rows of pairs that have none, turn by turn, in each of which all pairs measure at once."""
    own, known = member(group)
    missing = [[pair for pair in pairs if rows[pair][2].item() == 0] for _, pairs in turns]
    missing = [pairs for pairs in missing if pairs]
    for pairs in missing:
        for pair in pairs:
            if own.rank() not in pair:
                continue
            two = new_group(
                [known.ranks[rank] for rank in pair],
                backend=get_backend(group),
                use_local_synchronization=True,
            )
            probe = _Probe(two, own.rank() == pair[0])
            measured = probe.measure(seconds / len(missing))
            destroy_process_group(two)
            if own.rank() == pair[0]:
                rows[pair].copy_(_C.tensor(measured, dtype=_C.float64))
        for pair in pairs:
            broadcast(rows[pair], group=group, group_src=pair[0])


def _of_kinds(turns, rows):
    """The slowest of each kind, in each respect."""
    kinds = {}
    for kind, pairs in turns:
        kinds.setdefault(kind, []).extend(rows[pair] for pair in pairs)
    worst = {
        kind: [
            f(column) for f, column in zip((max, max, min), zip(*found, strict=True), strict=True)
        ]
        for kind, found in kinds.items()
    }
    return {kind: dict(zip(_FIELDS, row, strict=True)) for kind, row in worst.items()}


def _turns(hosts):
    """(kind, pairs) for each turn: no host is in two of its pairs, so that none gets in another's way."""
    ranks = {}
    for rank, host in enumerate(hosts):
        ranks.setdefault(host, []).append(rank)
    within = [tuple(of_host[:2]) for of_host in ranks.values() if len(of_host) > 1]
    turns = [("within", within)] if within else []
    first = [of_host[0] for of_host in ranks.values()]
    return turns + [("between", pairs) for pairs in _all_pairs(first)[:_MOST_TURNS]]


def _all_pairs(ranks):
    """Each two of them once, in turns in which nobody is twice: one stays, the others go round."""
    if len(ranks) < 2:
        return []
    ring = ranks if len(ranks) % 2 == 0 else [*ranks, None]
    turns = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        turns.append([tuple(sorted(pair)) for pair in facing if None not in pair])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return turns


class _Probe:
    """All_reduces of two ranks, of which the first says how long it goes on."""

    def __init__(self, pair_group, leads):
        self._group, self._leads = pair_group, leads

    def measure(self, seconds):
        """Latency, gap and bandwidth, as the group's collectives have them."""
        word = _C.zeros(1)
        latency = median(self._time(word, 1) for _ in range(_WORDS))
        burst = median(self._time(word, _BURST) for _ in range(_BURSTS))
        gap = max(burst - latency, 0.0) / (_BURST - 1)
        bulk = _C.zeros(_TRIED // 4)
        if self._goes_on(self._time(bulk, 1) < _QUICK):
            bulk = _C.zeros(_BULK // 4)  # in no cache
        times, end = [], time.perf_counter() + seconds
        while self._goes_on(not times or time.perf_counter() < end):
            times.append(self._time(bulk, 1))
        # Each gives half and gets half, twice: together all of it, in two messages one after another.
        return [latency, min(gap, latency), bulk.nbytes / max(min(times) - 2 * latency, 1e-9)]

    def _time(self, x, count):
        barrier(self._group)
        began = time.perf_counter()
        works = [all_reduce(x, group=self._group, async_op=True) for _ in range(count)]
        for work in works:
            work.wait()
        return time.perf_counter() - began

    def _goes_on(self, goes_on):
        said = _C.full((1,), float(goes_on and self._leads))
        all_reduce(said, group=self._group)
        return said.item() == 1


class _Kept:
    """A file of what has been measured before, by backend and hosts; without one it has nothing."""

    def __init__(self, path, backend, names):
        self._path, self._backend, self._names = path, backend, names

    def find(self, pair):
        """Latency, gap and bandwidth, or zeros."""
        return self._read().get(self._key(pair), [0.0, 0.0, 0.0])

    def keep(self, pairs, rows):
        """Written whole or not at all, so that two who write at once leave one's."""
        known = self._read()
        lines = known | {self._key(pair): row for pair, row in zip(pairs, rows, strict=True)}
        if self._path is None or lines == known:
            return
        path = Path(self._path)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(lines, indent=1), encoding="utf-8")
            part.replace(path)
        except OSError as error:  # the other ranks do not raise it, and know the links nevertheless
            with suppress(OSError):
                part.unlink()
            warnings.warn(
                f"measure_links(): cache: {path} cannot be written, so that the next program measures "
                f"the links again: {error.strerror}",
                RuntimeWarning,
                stacklevel=3,
            )

    def _key(self, pair):
        where = " - ".join(sorted(self._names[rank] for rank in pair))
        same = len({self._names[rank] for rank in pair}) == 1
        return f"{self._backend}: {'within ' + self._names[pair[0]] if same else where}"

    def _read(self):
        if self._path is None:
            return {}
        try:
            lines = json.loads(Path(self._path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}  # none, or not one of ours: measured again
        return {key: row for key, row in lines.items() if _is_link(row)} if _is(lines, dict) else {}


def _is(value, kind):
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_link(row):
    """Whether it is latency, gap and bandwidth, as they can be."""
    if not _is(row, list) or len(row) != 3 or not all(_is(x, int | float) for x in row):
        return False
    latency, gap, bandwidth = row
    return latency > 0 and 0 <= gap <= latency and 0 < bandwidth < 1e15
