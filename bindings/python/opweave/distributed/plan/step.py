"""Data-parallel steps on links: buckets are reduced one after another while the backward pass goes on."""

from collections import deque
from dataclasses import dataclass

from opweave._distributed import _BUCKET, _FIRST_BUCKET, _assign_buckets
from opweave.distributed.plan.costs import all_reduce_seconds

MIB = 2**20
# DistributedDataParallel's own; and those among which the best is looked for.
FIRST_BYTES, CAP_MB = _FIRST_BUCKET, _BUCKET / MIB
SIZES_MB = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 25.0, 50.0, 100.0)


@dataclass(frozen=True)
class Outlook:
    """Of a step of so many ranks."""

    ranks: int
    seconds: float  # with DistributedDataParallel's buckets
    efficiency: float  # of a process alone: 1 where communication is hidden
    bucket_mb: float  # the best size of a bucket,
    best_seconds: float  # and the step's time with it
    communication: float = 0.0  # of all buckets, one after another, with nothing else to do
    exposed: float = 0.0  # by how much they make the step longer

    @property
    def speedup(self):
        """In examples a second, against one process."""
        return self.ranks * self.efficiency


def buckets(gradients, first, cap):
    """(bytes, when it is full) of each, as the reducer fills them; gradients are as of a `Profile`."""
    if any(not isinstance(gradient, (tuple, list)) or len(gradient) < 2 for gradient in gradients):
        raise TypeError("buckets: gradients: expected (bytes, seconds, ...) of each")
    kinds = {}
    sizes = [(kinds.setdefault(tuple(kind), len(kinds)), size) for size, _, *kind in gradients]
    return [
        (sum(sizes[place][1] for place in bucket), max(gradients[place][1] for place in bucket))
        for bucket in _assign_buckets(sizes, [first, cap])
    ]


def step_seconds(profile, ranks, links, bucket_mb=None):
    """Forward, backward with what of communication it does not hide, and update."""
    reductions = [
        (ready, all_reduce_seconds(nbytes, ranks, links))
        for nbytes, ready in _buckets_of(profile, bucket_mb)
    ]
    share = Shares(links, ranks, profile.processes)
    around = (profile.forward + profile.update + profile.after) / share.alone
    computing = profile.backward - profile.after
    return around + profile.waiting + backward_seconds(computing, reductions, share)


class Shares:
    """How fast a rank goes on, against what was measured: a host has only so many processors for its ranks.

    Computing was timed in so many processes at once, reductions are what the links' ranks take together.
    """

    def __init__(self, links, ranks, processes=1):
        count, busy = links.per_host(ranks), links.busy
        part = self._part_of(links.processors)
        self.alone = part(count) / part(processes)  # who computes
        both = part(count * (1 + busy))
        self.computing, self.reducing = both / part(processes), both / part(count * busy)

    @staticmethod
    def _part_of(processors):
        return lambda wanted: min(1.0, processors / wanted) if processors and wanted else 1.0


def backward_seconds(computing, reductions, shares):
    """Until all is computed and reduced: `reductions` are (when in the computing one can begin, seconds).

    A reduction waits for the one before.
    """
    waiting, left, done, now = deque(reductions), 0.0, 0.0, 0.0
    while left > 0 or waiting or done < computing:
        computes, reduces = done < computing, left > 0
        if not reduces and waiting and (waiting[0][0] <= done + 1e-12 or not computes):
            left = waiting.popleft()[1]
            continue
        faster = shares.computing if reduces else shares.alone
        slower = shares.reducing if computes else 1.0
        until = [left / slower] if reduces else []
        if computes:
            until.append((computing - done) / faster)
            if waiting and not reduces:
                until.append((waiting[0][0] - done) / faster)
        length = min(until)
        now += length
        left = max(left - length * slower, 0.0) if reduces else 0.0
        done += length * faster if computes else 0.0
        left, done = (
            (0.0 if left < 1e-12 else left),
            (computing if computing - done < 1e-12 else done),
        )
    return now


def _buckets_of(profile, bucket_mb):
    cap = int((CAP_MB if bucket_mb is None else bucket_mb) * MIB)
    return buckets(profile.gradients, FIRST_BYTES if bucket_mb is None else cap, cap)


def plan(profile, links, ranks=None, bucket_mb=None):
    """An Outlook for each number of ranks: by default powers of 2 up to 16,384, as far as links go.

    `bucket_mb` is the size of buckets, in place of DistributedDataParallel's.
    """
    if ranks is None:
        ranks = [2**i for i in range(1, 15) if links.most is None or 2**i <= links.most]
    return [_outlook(profile, links, n, bucket_mb) for n in ranks]


def _outlook(profile, links, ranks, bucket_mb):
    seconds = step_seconds(profile, ranks, links, bucket_mb)
    times = {size: step_seconds(profile, ranks, links, size) for size in SIZES_MB}
    best = min(times, key=times.get)
    communication = sum(
        all_reduce_seconds(nbytes, ranks, links) for nbytes, _ in _buckets_of(profile, bucket_mb)
    )
    return Outlook(
        ranks,
        seconds,
        profile.seconds / seconds,
        best,
        times[best],
        communication,
        max(seconds - profile.seconds, 0.0),
    )
