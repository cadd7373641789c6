"""The methods of a ProcessGroup that are collectives, with PyTorch's names: `pg.allreduce([t]).wait()`.

They take what PyTorch's take: lists of tensors and options, or one tensor and the options' values. Roots and
peers are ranks of the group. A backend of Python has methods of its own.
"""

import enum
import re
from datetime import timedelta

from opweave import _C
from opweave._distributed import ProcessGroup, Work
from opweave.distributed import _arguments, _options
from opweave.distributed import _operators as _ops
from opweave.distributed._chunks import chunks, split
from opweave.distributed._reductions import ReduceOp
from opweave.futures import Future


def _tensors(given):
    return [given] if isinstance(given, _C.Tensor) else given


def _one(name, given):
    """The tensor of a list of one, which PyTorch's backends take."""
    if isinstance(given, _C.Tensor):
        return given
    if len(given) != 1:
        raise ValueError(f"ProcessGroup.{name}(): expected one tensor, got {len(given)}")
    return given[0]


def _parts(name, given):
    """The tensors, given as such or as the one list of them in a list."""
    if not given or isinstance(given[0], _C.Tensor):
        return list(given)
    if len(given) != 1:
        raise ValueError(f"ProcessGroup.{name}(): expected one list of tensors, got {len(given)}")
    return list(given[0])


def _said(name, opts, given=None):
    """The options: given as such, or in the place of what they say; None where there are none."""
    if opts is None:
        return given if isinstance(given, _options.Options) else None
    if not isinstance(opts, _options.Options):
        raise TypeError(f"ProcessGroup.{name}(): opts: expected options, got {type(opts).__name__}")
    return opts


def _rest(name, opts, timeout):
    """What of the options every operator takes."""
    if opts is not None:
        timeout = None if opts.timeout == _options.UNSET else opts.timeout
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(
            f"ProcessGroup.{name}(): timeout: expected a timedelta, got {type(timeout).__name__}"
        )
    # Options say whether it is waited for; without any a Work is returned, as by PyTorch's.
    return {
        "timeout": None if timeout is None else timeout.total_seconds(),
        "async_op": opts is None or opts.asyncOp,
    }


def allreduce(self, tensors, op=None, timeout=None, *, opts=None):
    """Writes what the tensors of all ranks are together (`op`) into each of them."""
    opts = _said("allreduce", opts, op)
    chosen = opts.reduceOp if opts else op or ReduceOp.SUM
    return _ops.start_all_reduce(
        _tensors(tensors), self, chosen, **_rest("allreduce", opts, timeout)
    )


def allreduce_coalesced(self, tensors, opts=None):
    """The same of several tensors at once."""
    return allreduce(self, tensors, opts=opts or _options.AllreduceCoalescedOptions())


def broadcast(self, tensors, root=None, timeout=None, *, opts=None):
    """Writes the tensors of rank `root` into those of the others."""
    opts = _said("broadcast", opts, root)
    rank = opts.rootRank if opts else root or 0
    return _ops.start_broadcast(_tensors(tensors), self, rank, **_rest("broadcast", opts, timeout))


def reduce(self, tensors, root=None, op=ReduceOp.SUM, timeout=None, *, opts=None):
    """Writes what the tensors of all ranks are together into those of rank `root`."""
    opts = _said("reduce", opts, root)
    rank, op = (opts.rootRank, opts.reduceOp) if opts else (root or 0, op)
    return _ops.start_reduce(_tensors(tensors), self, rank, op, **_rest("reduce", opts, timeout))


def allgather(self, output_tensors, input_tensors, timeout=None, *, opts=None):
    """Writes each rank's tensor into that of its place in the list, on every rank."""
    opts = _said("allgather", opts, timeout)
    timeout = None if opts else timeout
    outputs, given = _parts("allgather", output_tensors), _one("allgather", input_tensors)
    return _ops.start_all_gather(outputs, given, self, **_rest("allgather", opts, timeout))


def all_gather_single(self, output, input, opts=None):
    """Writes the tensors of all ranks one behind the other into `output`."""
    parts = chunks(output, self.size(), "ProcessGroup.all_gather_single(): output")
    return allgather(self, parts, input, opts=opts or _options.AllgatherOptions())


def gather(self, output_tensors, input_tensors, root=None, timeout=None, *, opts=None):
    """Writes each rank's tensor into that of its place in the list, on rank `root`."""
    opts = _said("gather", opts, root)
    rank = opts.rootRank if opts else root or 0
    outputs, given = _parts("gather", output_tensors), _one("gather", input_tensors)
    return _ops.start_gather(outputs, given, self, rank, **_rest("gather", opts, timeout))


def scatter(self, output_tensors, input_tensors, root=None, timeout=None, *, opts=None):
    """Writes the tensors of rank `root` each into that of the rank of its place."""
    opts = _said("scatter", opts, root)
    rank = opts.rootRank if opts else root or 0
    output, inputs = _one("scatter", output_tensors), _parts("scatter", input_tensors)
    return _ops.start_scatter(output, inputs, self, rank, **_rest("scatter", opts, timeout))


def reduce_scatter(self, output_tensors, input_tensors, op=None, timeout=None, *, opts=None):
    """Writes what the tensors of this rank's place in all ranks' lists are together."""
    opts = _said("reduce_scatter", opts, op)
    chosen = opts.reduceOp if opts else op or ReduceOp.SUM
    output = _one("reduce_scatter", output_tensors)
    inputs = _parts("reduce_scatter", input_tensors)
    rest = _rest("reduce_scatter", opts, timeout)
    return _ops.start_reduce_scatter(output, inputs, self, chosen, **rest)


def reduce_scatter_single(self, output_tensor, input_tensor, opts=None):
    """The same of a tensor that has the ranks' parts one behind the other."""
    parts = chunks(input_tensor, self.size(), "ProcessGroup.reduce_scatter_single(): input")
    return reduce_scatter(self, output_tensor, parts, opts=opts or _options.ReduceScatterOptions())


def alltoall(self, output_tensors, input_tensors, opts=None):
    """Gives each rank the tensor of its place, and gets one from each."""
    rest = _rest("alltoall", _said("alltoall", opts), None)
    return _ops.start_all_to_all(list(output_tensors), list(input_tensors), self, **rest)


def all_to_all_single(
    self, output, input, output_split_sizes, input_split_sizes, timeout=None, *, opts=None
):
    """The same of tensors with the parts one behind the other in dimension 0; no sizes: equal ones."""
    opts = _said("alltoall", opts, timeout)
    where, count = "ProcessGroup.all_to_all_single()", self.size()
    outputs = split(output, output_split_sizes or None, count, where, "output_split_sizes")
    inputs = split(input, input_split_sizes or None, count, where, "input_split_sizes")
    rest = _rest("all_to_all_single", opts, None if opts else timeout)
    return _ops.start_all_to_all(outputs, inputs, self, **rest)


def send(self, tensors, dst_rank, tag=0):
    """Sends a tensor to a rank."""
    return _ops.start_send(_one("send", tensors), self, dst_rank, tag, async_op=True)


def recv(self, tensors, src_rank, tag=0):
    """Receives into a tensor what a rank sends with the same tag."""
    return _ops.start_recv(_one("recv", tensors), self, src_rank, tag, async_op=True)


def recv_anysource(self, tensors, tag=0):
    """Receives what any rank sends with the same tag; the Work's `source_rank()` says which."""
    return recv(self, tensors, -1, tag)


def barrier(self, timeout=None, *, opts=None):
    """A Work that is done when every rank has called it."""
    opts = _said("barrier", opts, timeout)
    return _ops.start_barrier(self, **_rest("barrier", opts, None if opts else timeout))


class BackendType(enum.IntEnum):
    """What carries a group out, by PyTorch's numbers."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, CUSTOM = 0, 1, 2, 3, 4, 5, 6


class WorkResult(enum.IntEnum):
    """How a Work ended: what its `get_future_result()` gives."""

    SUCCESS, TIMEOUT, COMM_ERROR = 0, 1, 3


# How errors of works say that time was over.
_TIME_IS_OVER = re.compile(r" in time\b| was not done after | after the timeout of ")


def get_future_result(self):
    """A Future of how it ends, a WorkResult; it raises nothing."""
    result = Future()

    def finish():
        error = self.exception()
        timed_out = error is not None and _TIME_IS_OVER.search(str(error)) is not None
        failed = WorkResult.TIMEOUT if timed_out else WorkResult.COMM_ERROR
        result.set_result(WorkResult.SUCCESS if error is None else failed)

    self._when_done(finish)
    return result


def synchronize(self):
    """Waits: on the stream of a device, where the tensors are on one; else here."""
    self.wait()


def _attach(cls, *functions, **others):
    for function in functions:
        function.__qualname__ = f"{cls.__name__}.{function.__name__}"
        named = _arguments.naming(function, f"{function.__qualname__}()")
        setattr(cls, function.__name__, named)
    for name, value in others.items():
        setattr(cls, name, value)


COLLECTIVES = (
    allreduce,
    allreduce_coalesced,
    broadcast,
    reduce,
    allgather,
    all_gather_single,
    gather,
    scatter,
    reduce_scatter,
    reduce_scatter_single,
    alltoall,
    all_to_all_single,
    send,
    recv,
    recv_anysource,
    barrier,
)
_attach(
    ProcessGroup,
    *COLLECTIVES,
    BackendType=BackendType,
    _allgather_base=all_gather_single,
    _reduce_scatter_base=reduce_scatter_single,
    alltoall_base=all_to_all_single,
    **BackendType.__members__,
)
_attach(Work, get_future_result, synchronize, block_current_stream=synchronize)
