"""What an all_reduce takes on links, in closed form: the least of several ways."""

from math import ceil, log2


def ring(nbytes, ranks, links):
    """2 (n - 1) steps of a share each (Patarasu and Yuan, Bandwidth optimal all-reduce algorithms, 2009)."""
    latency, bandwidth = links.worst(ranks)
    return 2 * (ranks - 1) * (latency + nbytes / ranks / bandwidth)


def double_tree(nbytes, ranks, links):
    """Up and down two trees at once, half the bytes in each, in chunks (Sanders, Speck and Traeff, 2009)."""
    latency, bandwidth = links.worst(ranks)
    return 2 * ceil(log2(ranks)) * latency + 2 * nbytes / bandwidth


def by_levels(nbytes, ranks, links):
    """Shares within the nearest level, these within the next, and back: each level carries what is left.

    Within a level they go around a ring, or up and down two trees where that takes less.
    """
    seconds, left = 0.0, nbytes
    for count, latency, bandwidth in links.groups(ranks):
        around = 2 * (count - 1) * (latency + left / count / bandwidth)
        up_and_down = 2 * ceil(log2(count)) * latency + 2 * left / bandwidth
        seconds += min(around, up_and_down)
        left /= count
    return seconds


WAYS = (ring, double_tree, by_levels)


def all_reduce_seconds(nbytes, ranks, links):
    """Of so many bytes on each of so many ranks; 0 for one rank."""
    if ranks < 2:
        return 0.0
    return min(way(nbytes, ranks, links) for way in WAYS)


def way_of(nbytes, ranks, links):
    """The name of the way that takes least."""
    return min(WAYS, key=lambda way: way(nbytes, ranks, links)).__name__
