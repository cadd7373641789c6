"""Data-parallel steps on links: buckets are reduced one after another while the backward pass goes on."""

from dataclasses import dataclass

from opweave.distributed.plan.costs import all_reduce_seconds

MIB = 2**20
# DistributedDataParallel's own; and those among which the best is looked for.
FIRST_BYTES, CAP_MB = MIB, 25.0
SIZES_MB = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 25.0, 50.0, 100.0)


@dataclass(frozen=True)
class Outlook:
    """Of a step of so many ranks."""

    ranks: int
    seconds: float  # with DistributedDataParallel's buckets
    efficiency: float  # of a process alone: 1 where communication is hidden
    bucket_mb: float  # the best size of a bucket,
    best_seconds: float  # and the step's time with it

    @property
    def speedup(self):
        """In examples a second, against one process."""
        return self.ranks * self.efficiency


def buckets(gradients, first, cap):
    """(bytes, when it is full) of each: one that a gradient would overflow is closed before it."""
    found, limit = [], first
    nbytes, ready = 0, 0.0
    for size, at in gradients:
        if nbytes and nbytes + size > limit:
            found.append((nbytes, ready))
            nbytes, limit = 0, cap
        nbytes, ready = nbytes + size, at
    return [*found, (nbytes, ready)] if nbytes else found


def step_seconds(profile, ranks, links, bucket_mb=None):
    """Forward, backward with what of communication it does not hide, and update."""
    cap = int((CAP_MB if bucket_mb is None else bucket_mb) * MIB)
    first = FIRST_BYTES if bucket_mb is None else cap
    done = 0.0
    for nbytes, ready in buckets(profile.gradients, first, cap):
        done = max(done, ready) + all_reduce_seconds(nbytes, ranks, links)
    return profile.forward + max(profile.backward, done) + profile.update


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
    return Outlook(ranks, seconds, profile.seconds / seconds, best, times[best])
