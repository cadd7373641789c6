"""Averages of buckets: as they are, and with fewer bits on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opweave import _C
from opweave._distributed import GradBucket, ProcessGroup
from opweave.distributed import _collectives
from opweave.distributed.algorithms.ddp_comm_hooks._states import group_of
from opweave.futures import Future


def _average(given, bucket, sent):
    """A future of the bucket's buffer, which holds the average of what all ranks send by then."""
    group, buffer = group_of(given, bucket), bucket.buffer()
    sent.div_(group.size())
    work = _collectives.all_reduce(sent, group=group, async_op=True)

    def arrived(future):
        came = future.value()[0]
        return came if came is buffer else buffer.copy_(came)

    return work.get_future().then(arrived)


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """The average of the bucket, as without a hook. `process_group` is the model's, for None."""
    return _average(process_group, bucket, bucket.buffer())


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """The average, summed up and sent as float16."""
    return _average(process_group, bucket, bucket.buffer().to(_C.float16))


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """The average, summed up and sent as bfloat16."""
    return _average(process_group, bucket, bucket.buffer().to(_C.bfloat16))


def _wrapper(dtype, hook):
    def wrapped(state, bucket):
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(state, bucket).then(lambda future: buffer.copy_(_one(future.value())))

    return wrapped


def _one(value):
    return value[0] if isinstance(value, (list, tuple)) else value


def fp16_compress_wrapper(
    hook: Callable[[Any, GradBucket], Future],
) -> Callable[[Any, GradBucket], Future]:
    """A hook that gives another one its bucket as float16."""
    return _wrapper(_C.float16, hook)


def bf16_compress_wrapper(
    hook: Callable[[Any, GradBucket], Future],
) -> Callable[[Any, GradBucket], Future]:
    """A hook that gives another one its bucket as bfloat16."""
    return _wrapper(_C.bfloat16, hook)
