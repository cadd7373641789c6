"""Averages of buckets: as they are, and with fewer bits on their way."""

import opweave as ow
import opweave.distributed as dist


def _average(group, sent, buffer):
    """A future of `buffer`, which holds the average of what all ranks send by then."""
    group = dist.group.WORLD if group is None else group
    sent.div_(group.size())
    work = dist.all_reduce(sent, group=group, async_op=True)

    def arrived(future):
        came = future.value()[0]
        return came if came is buffer else buffer.copy_(came)

    return work.get_future().then(arrived)


def allreduce_hook(process_group, bucket):
    """The average of the bucket, as without a hook. `process_group` is the default group, for None."""
    return _average(process_group, bucket.buffer(), bucket.buffer())


def fp16_compress_hook(process_group, bucket):
    """The average, summed up and sent as float16."""
    return _average(process_group, bucket.buffer().to(ow.float16), bucket.buffer())


def bf16_compress_hook(process_group, bucket):
    """The average, summed up and sent as bfloat16."""
    return _average(process_group, bucket.buffer().to(ow.bfloat16), bucket.buffer())


def _wrapper(dtype, hook):
    def wrapped(state, bucket):
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(state, bucket).then(lambda future: buffer.copy_(_one(future.value())))

    return wrapped


def _one(value):
    return value[0] if isinstance(value, (list, tuple)) else value


def fp16_compress_wrapper(hook):
    """A hook that gives another one its bucket as float16."""
    return _wrapper(ow.float16, hook)


def bf16_compress_wrapper(hook):
    """A hook that gives another one its bucket as bfloat16."""
    return _wrapper(ow.bfloat16, hook)
