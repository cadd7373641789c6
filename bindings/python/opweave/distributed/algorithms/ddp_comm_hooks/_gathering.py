"""Hooks whose ranks send what they have compressed to all others, each of which sums it up."""

import opweave.distributed as dist
from opweave import _C
from opweave.futures import collect_all


def sum_of_all(group, sent, buffer, unpack):
    """A future of `buffer` with the average of what all ranks have sent.

    Args:
        sent: one-dimensional tensors of this rank, of the same sizes on all ranks.
        unpack: makes one rank's tensors a tensor like `buffer`. Ranks are added in their order: the result is
            the same to the bit on all.
    """
    size = group.size()
    rooms = [_C.empty(size * t.numel(), dtype=t.dtype, device=t.device) for t in sent]
    works = [
        dist.all_gather_into_tensor(room, t, group=group, async_op=True)
        for room, t in zip(rooms, sent, strict=True)
    ]

    def arrived(future):
        for one in future.value():
            one.value()  # raises what it failed with
        total = _C.zeros_like(buffer)
        for parts in zip(*[room.chunk(size) for room in rooms], strict=True):
            total += unpack(*parts)
        return buffer.copy_(total.div_(size))

    return collect_all([work.get_future() for work in works]).then(arrived)
