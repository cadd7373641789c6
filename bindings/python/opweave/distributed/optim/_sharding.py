"""Gradients that only the rank has that updates with them: a hook of data-parallel training."""

import itertools

import opweave.distributed as dist
from opweave._grad_mode import no_grad
from opweave.futures import collect_all


class ShardGradients:
    """Averages each gradient on the rank that `owner_of(parameter)` says; on all, where that is None."""

    def __init__(self, owner_of):
        self._owner_of = owner_of

    def _runs(self, bucket):
        """Neighbours in the bucket of one owner: it, and from which element to which."""
        end, places = 0, []
        for parameter in bucket.parameters():
            begin, end = end, end + parameter.numel()
            places.append((self._owner_of(parameter), begin, end))
        for owner, run in itertools.groupby(places, key=lambda place: place[0]):
            run = list(run)
            yield owner, run[0][1], run[-1][2]

    def _send(self, part, owner, group):
        if owner is None:
            return dist.all_reduce(part, group=group, async_op=True)
        return dist.reduce(part, group=group, group_dst=owner, async_op=True)

    def __call__(self, state, bucket):
        buffer, group = bucket.buffer(), bucket.group()
        with no_grad():
            buffer.div_(group.size())
        works = [
            self._send(buffer[begin:end], owner, group) for owner, begin, end in self._runs(bucket)
        ]
        futures = [work.get_future() for work in works]
        return collect_all(futures).then(lambda done: _checked(done, buffer))


def _checked(done, buffer):
    for future in done.value():
        future.value()  # raises what it failed with
    return buffer
