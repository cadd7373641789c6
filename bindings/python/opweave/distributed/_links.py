"""What the links between the ranks of a group are like, and what follows from it."""

import json
import os
import socket
import time
from pathlib import Path
from statistics import median

import opweave as ow
from opweave.distributed._collectives import barrier, broadcast, recv, send
from opweave.distributed._groups import get_backend, member
from opweave.distributed._objects import all_gather_object

_FIELDS = ("latency", "gap", "bandwidth")
# How many words are timed, and bursts, and how many words and bytes these have.
_WORDS, _BURSTS, _BURST, _BULK = 30, 5, 16, 4 * 2**20
_TAG = 0x6C696E6B
_MILLISECOND, _MIB = 1e-3, 2**20


def explain(nbytes, group=None):
    """How an all_reduce of `nbytes` goes in a group, and why: a text of several lines.

    A line for each way, with the seconds that it should take, and what the links are taken to be like (see
    measure_links). RuntimeError where the group's backend is not one of Opweave's.
    """
    return member(group)[0]._explain(nbytes)


def bucket_cap_mb(links):
    """How large a bucket of gradients should be, in MiB, from what measure_links has returned.

    What the slowest link carries in a millisecond, at least 1 and at most 100 MiB: in smaller ones latencies
    count, in larger ones gradients wait for one another.
    """
    slowest = min(link["bandwidth"] for link in links.values())
    return min(max(slowest * _MILLISECOND / _MIB, 1.0), 100.0)


def measure_links(group=None, seconds=0.5, cache=None):
    """Measures what the links within a host and between hosts are like; a call of every rank.

    Returns {"within": {...}, "between": {...}}, the latter where the group has several hosts, each with
    "latency" and "gap" in seconds and "bandwidth" in bytes a second (LogGP's model), equal on all ranks; from
    then on the group chooses the ways of its collectives by them. Of each kind of link one is measured, for
    about `seconds`. `cache` is a file of rank 0: what it has of these hosts is not measured again. ValueError
    where `seconds` is not positive.
    """
    if not seconds > 0:
        raise ValueError(f"measure_links(): seconds must be positive, got {seconds}")
    own, _ = member(group)
    pairs = _pairs(own._hosts() or [0] * own.size())
    names = [""] * own.size()
    all_gather_object(names, socket.gethostname(), group=group)
    kept = _Kept(cache, get_backend(group), names)
    found = ow.zeros(len(pairs), 3, dtype=ow.float64)
    if own.rank() == 0:
        for row, pair in zip(found, pairs.values(), strict=True):
            row.copy_(ow.tensor(kept.find(pair), dtype=ow.float64))
    broadcast(found, group=group, group_src=0)
    for row, pair in zip(found, pairs.values(), strict=True):
        if row[2].item() == 0:
            if own.rank() in pair:
                row.copy_(ow.tensor(_Probe(group, pair, own.rank()).measure(seconds)))
            broadcast(row, group=group, group_src=pair[0])
    if own.rank() == 0:
        kept.keep(pairs.values(), found.tolist())
    barrier(group)
    if pairs:
        own._set_links(found[0].tolist(), found[-1].tolist())
    return {
        kind: dict(zip(_FIELDS, row, strict=True))
        for kind, row in zip(pairs, found.tolist(), strict=True)
    }


def _pairs(hosts):
    """Two ranks, by what is between them: within first."""
    pairs = {}
    for b, host in enumerate(hosts):
        for a in range(b):
            pairs.setdefault("within" if hosts[a] == host else "between", (a, b))
    return dict(sorted(pairs.items(), reverse=True))


class _Probe:
    """Messages between two ranks, of which the first says how long it goes on."""

    def __init__(self, group, pair, rank):
        self._group, self._leads = group, rank == pair[0]
        self._other = pair[1] if self._leads else pair[0]
        self._word = ow.zeros(1)

    def measure(self, seconds):
        """Latency, gap and bandwidth."""
        there = median(self._round(self._word, 1) for _ in range(_WORDS)) / 2
        burst = median(self._round(self._word, _BURST) for _ in range(_BURSTS))
        gap = max(burst - 2 * there, 0.0) / (_BURST - 1)
        bulk = ow.zeros(_BULK // 4)
        best, end = float("inf"), time.perf_counter() + seconds
        while self._goes_on(time.perf_counter() < end):
            best = min(best, self._round(bulk, 1))
        return [there, gap, _BULK / max(best - 2 * there, 1e-9)]

    def _round(self, x, count):
        """So many messages there, and a word back; seconds."""
        began = time.perf_counter()
        for _ in range(count):
            self._pass(x, self._leads)
        self._pass(self._word, not self._leads)
        return time.perf_counter() - began

    def _goes_on(self, goes_on):
        said = ow.full((1,), float(goes_on))
        self._pass(said, self._leads)
        return said.item() == 1

    def _pass(self, x, gives):
        if gives:
            send(x, group=self._group, tag=_TAG, group_dst=self._other)
        else:
            recv(x, group=self._group, tag=_TAG, group_src=self._other)


class _Kept:
    """A file of what has been measured before, by backend and hosts; without one it has nothing."""

    def __init__(self, path, backend, names):
        self._path, self._backend, self._names = path, backend, names

    def find(self, pair):
        """Latency, gap and bandwidth, or zeros."""
        return self._read().get(self._key(pair), [0.0, 0.0, 0.0])

    def keep(self, pairs, rows):
        """Written whole or not at all, so that two who write at once leave one's."""
        if self._path is None:
            return
        lines = self._read() | {self._key(pair): row for pair, row in zip(pairs, rows, strict=True)}
        path = Path(self._path)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(json.dumps(lines, indent=1), encoding="utf-8")
        part.replace(path)

    def _key(self, pair):
        where = " - ".join(sorted(self._names[rank] for rank in pair))
        same = len({self._names[rank] for rank in pair}) == 1
        return f"{self._backend}: {'within ' + self._names[pair[0]] if same else where}"

    def _read(self):
        if self._path is None:
            return {}
        try:
            lines = json.loads(Path(self._path).read_text(encoding="utf-8"))
            return {key: [float(x) for x in row] for key, row in lines.items() if len(row) == 3}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}  # none, or not one of ours: measured again
