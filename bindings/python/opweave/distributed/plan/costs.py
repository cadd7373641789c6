"""What an all_reduce takes on links: as it was measured there, or by formulas the least of several ways."""

from math import ceil, log2


def ring(nbytes, ranks, links):
    """2 (n - 1) steps of a share each (Patarasu and Yuan, Bandwidth optimal all-reduce algorithms, 2009)."""
    return _around(nbytes, ranks, *links.worst(ranks))


def tree(nbytes, ranks, links):
    """Up a binary tree and down again, all of it in each step: as quick as any for a few bytes."""
    return _up_and_down(nbytes, ranks, *links.worst(ranks))


def double_tree(nbytes, ranks, links):
    """Up and down two trees at once, half the bytes in each, in chunks (Sanders, Speck and Traeff, 2009).

    One step more than the plain tree, as the second carries its half a step later.
    """
    return _in_chunks(nbytes, ranks, *links.worst(ranks))


def by_levels(nbytes, ranks, links):
    """Shares within the nearest level, these within the next, and back: each level carries what is left.

    Within a level they go around a ring, or up and down a tree or two where that takes less.
    """
    seconds, left = 0.0, nbytes
    for i, (count, *link) in enumerate(links.groups(ranks)):
        seen = links.seen(count, left) if i == 0 else None
        seconds += min(way(left, count, *link) for way in ON_LEVEL) if seen is None else seen
        left /= count
    return seconds


def _around(nbytes, count, latency, bandwidth):
    return 2 * (count - 1) * (latency + nbytes / count / bandwidth)


def _up_and_down(nbytes, count, latency, bandwidth):
    return 2 * ceil(log2(count)) * (latency + nbytes / bandwidth)


def _in_chunks(nbytes, count, latency, bandwidth):
    return 2 * (ceil(log2(count)) + 1) * latency + 2 * nbytes / bandwidth


ON_LEVEL = (_around, _up_and_down, _in_chunks)
WAYS = (ring, tree, double_tree, by_levels)


def all_reduce_seconds(nbytes, ranks, links):
    """Of so many bytes on each of so many ranks; 0 for one rank."""
    if ranks < 2:
        return 0.0
    seen = links.seen(ranks, nbytes)
    return min(way(nbytes, ranks, links) for way in WAYS) if seen is None else seen


def way_of(nbytes, ranks, links):
    """The name of the way that takes least."""
    return min(WAYS, key=lambda way: way(nbytes, ranks, links)).__name__
