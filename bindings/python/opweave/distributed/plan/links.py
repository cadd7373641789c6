"""Links: latency and bandwidth between ranks, by levels of a machine room or between each two."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from math import exp, log


@dataclass(frozen=True)
class Level:
    """Ranks that are as near to one another: so many of the level below, or of ranks, make one.

    `at_once` ranks of each part below send out of it at full bandwidth, as over the one network card of a
    host; more share it. None: all of them. `measured` is what an all_reduce within it was seen to take: for
    a number of ranks pairs of bytes and seconds, in order; it stands where the model would.
    """

    name: str
    count: int
    latency: float  # s
    bandwidth: float  # bytes/s
    at_once: int | None = None
    measured: tuple[tuple[int, tuple[tuple[float, float], ...]], ...] = ()

    def seen(self, ranks, nbytes):
        """What an all_reduce of so many ranks takes, between what was measured; None if it was not."""
        points = dict(self.measured).get(ranks)
        if not points:
            return None
        sizes = [nbytes for nbytes, _ in points]
        at = bisect_left(sizes, nbytes)
        if at == 0:
            return points[0][1]
        if at == len(points):  # as many bytes a second as at last
            return points[-1][1] * nbytes / sizes[-1]
        (less, quick), (more, slow) = points[at - 1 : at + 1]
        part = log(nbytes / less) / log(more / less)
        return exp(log(quick) * (1 - part) + log(slow) * part)


# Eight ranks share a host, eight hosts are neighbours, 16 such make a rack row, and there are many sites.
DEFAULT = (
    Level("host", 8, 2e-6, 600e9),
    Level("neighbours", 8, 5e-6, 200e9),
    Level("racks", 16, 50e-6, 100e9),
    Level("sites", 2**20, 1000e-6, 10e9),
)


class Links:
    """What is between ranks, that are numbered so that near ones follow one another.

    `processors` are those of a host, of which a rank needs one to compute, and `busy` one while it
    communicates; without a number there are enough.
    """

    def __init__(self, levels=DEFAULT, latency=None, bandwidth=None, processors=None, busy=0.0):
        self.levels, self._latency, self._bandwidth = tuple(levels), latency, bandwidth
        self.processors, self.busy = processors, busy

    @property
    def most(self):
        """How many ranks are described; None where there is no end."""
        return None if self._latency is None else len(self._latency)

    @property
    def is_matrix(self):
        """Whether each two ranks have a latency and a bandwidth of their own."""
        return self._latency is not None

    def per_host(self, ranks):
        """How many of so many ranks share the processors of a host: a group of the nearest level."""
        return 1 if self.is_matrix else min(ranks, self.levels[0].count)

    def with_ranks_per_host(self, count):
        """The same levels with another number of ranks in each of the nearest."""
        levels = (replace(self.levels[0], count=count), *self.levels[1:])
        return Links(levels, processors=self.processors, busy=self.busy)

    def groups(self, ranks):
        """Level by level of so many ranks: how many parts a group of it has, its latency and its bandwidth,
        of which ranks that send at once have their share.
        """
        if self.is_matrix:
            return [(ranks, *self.worst(ranks))]
        found, left, below = [], ranks, 1
        for level in self.levels:
            count = min(level.count, left)
            if count > 1:
                sharing = max(below / (level.at_once or below), 1.0)
                found.append((count, level.latency, level.bandwidth / sharing))
            left, below = -(-left // level.count), below * count
        return found

    def seen(self, ranks, nbytes):
        """What an all_reduce of so many ranks was seen to take, if they are all of the nearest level."""
        if self.is_matrix or ranks > self.levels[0].count:
            return None
        return self.levels[0].seen(ranks, nbytes)

    def between(self, a, b):
        """Latency and bandwidth of the link from one rank to another."""
        if self.is_matrix:
            return self._latency[a][b], self._bandwidth[a][b]
        for level in self.levels:
            a, b = a // level.count, b // level.count
            if a == b:
                return level.latency, level.bandwidth
        return self.levels[-1].latency, self.levels[-1].bandwidth

    def worst(self, ranks):
        """The largest latency and least bandwidth between neighbours in a ring of the first ranks."""
        if not self.is_matrix:
            groups = self.groups(ranks)
            return max(g[1] for g in groups), min(g[2] for g in groups)
        hops = [(r, (r + 1) % ranks) for r in range(ranks)]
        return (
            max(self._latency[a][b] for a, b in hops),
            min(self._bandwidth[a][b] for a, b in hops),
        )

    @classmethod
    def measured(cls, links):
        """Of what `measure_links` has returned, for ranks as they were there."""
        within = links.get("within", links.get("between"))
        levels = [Level("host", 2**20, within["latency"], within["bandwidth"])]
        if set(links) == {"within", "between"}:
            between = links["between"]
            levels[0] = Level("host", 1, within["latency"], within["bandwidth"])
            levels.append(Level("hosts", 2**20, between["latency"], between["bandwidth"]))
        return cls(levels)
