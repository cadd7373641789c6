"""Collectives, with PyTorch's names and arguments, on tensors of this process."""

import warnings

from opweave._C import Tensor
from opweave._distributed import ProcessGroup
from opweave.distributed import _arguments
from opweave.distributed import _operators as _ops
from opweave.distributed._chunks import chunks, split
from opweave.distributed._coalescing import collecting, collects
from opweave.distributed._groups import GroupMember, get_global_rank, get_group_rank, member
from opweave.distributed._reductions import ReduceOp
from opweave.futures import collect_all

# Those that take a list of tensors, each for itself.
_JOINED = (_ops.start_all_reduce, _ops.start_broadcast, _ops.start_reduce)


def _run(start, async_op, *arguments, **options):
    if collects():
        group = next(a for a in arguments if isinstance(a, ProcessGroup))
        if (manager := collecting(group)) is not None:
            name = _arguments.called()
            manager.calls.append((start, arguments, options, start in _JOINED, name))
            return None
    try:
        work = start(*arguments, async_op=async_op, **options)
    except (TypeError, ValueError, RuntimeError) as error:
        if (explained := _arguments.explained(error)) is error:
            raise
        raise explained from None
    return work if async_op else None


def _seconds(timeout):
    return None if timeout is None else _arguments.limit(timeout, "barrier()").total_seconds()


def _outside(group):
    return group == GroupMember.NON_GROUP_MEMBER


def _rank_of(group, name, rank, in_group):
    """The rank in the group, given there or in the world; one of the two."""
    if (rank is None) == (in_group is None):
        raise ValueError(
            f"{_arguments.called()}: expected either {name} or group_{name}, got {name}={rank} and "
            f"group_{name}={in_group}"
        )
    given, argument = (in_group, f"group_{name}") if rank is None else (rank, name)
    if type(given) is not int:
        _arguments.rank(given, _arguments.called(), argument)
    if rank is None:
        return in_group
    try:
        return get_group_rank(group, rank)
    except ValueError as error:
        raise ValueError(f"{_arguments.called()}: {name}: {error}") from None


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Writes the tensor of rank `src` (of the world; `group_src`: of the group) into those of the others."""
    if _outside(group):
        return None
    group, _ = member(group)
    root = _rank_of(group, "src", src, group_src)
    return _run(_ops.start_broadcast, async_op, [tensor], group, root)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Writes what the tensors of all ranks are together (`op`) into each of them; the same to the bit."""
    return all_reduce_coalesced([tensor], op, group, async_op)


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """`all_reduce` of several tensors of one dtype at once."""
    if _outside(group):
        return None
    if type(op) is not ReduceOp:
        raise _arguments.wrong_call()
    return _run(_ops.start_all_reduce, async_op, tensors, member(group)[0], op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Writes what the tensors of all ranks are together into that of rank `dst`; the others keep theirs."""
    if _outside(group):
        return None
    if type(op) is not ReduceOp:
        raise _arguments.wrong_call()
    group, _ = member(group)
    root = _rank_of(group, "dst", dst, group_dst)
    return _run(_ops.start_reduce, async_op, [tensor], group, root, op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Writes each rank's tensor into that of its place in `tensor_list`, on every rank. Sizes may differ."""
    if _outside(group):
        return None
    return _run(_ops.start_all_gather, async_op, tensor_list, tensor, member(group)[0])


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Writes the tensors of all ranks one behind the other into `output_tensor`."""
    if _outside(group):
        return None
    group, _ = member(group)
    parts = chunks(output_tensor, group.size(), "all_gather_into_tensor(): output_tensor")
    return _run(_ops.start_all_gather, async_op, parts, input_tensor, group)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """`all_gather` of several tensors: `output_tensor_lists[rank][i]` gets the i-th of a rank.

    `async_op=True` returns a Future of the tensors that each writes. Deprecated.
    """
    warnings.warn("`all_gather_coalesced` will be deprecated", FutureWarning, stacklevel=2)
    if _outside(group):
        return None
    group, _ = member(group)
    where = "all_gather_coalesced()"
    input_tensor_list = _arguments.sequence(
        input_tensor_list, where, "input_tensor_list", "a list of Tensors"
    )
    output_tensor_lists = [
        _arguments.sequence(tensors, where, "output_tensor_lists", "lists of Tensors")
        for tensors in _arguments.sequence(
            output_tensor_lists, where, "output_tensor_lists", "lists of Tensors"
        )
    ]
    counts = {len(tensors) for tensors in output_tensor_lists}
    if len(output_tensor_lists) != group.size() or counts != {len(input_tensor_list)}:
        raise ValueError(
            f"all_gather_coalesced(): expected {group.size()} lists of {len(input_tensor_list)} "
            f"tensors, got {[len(tensors) for tensors in output_tensor_lists]}"
        )
    columns = zip(*output_tensor_lists, strict=True)
    works = [
        _ops.start_all_gather(list(outputs), tensor, group, async_op=True)
        for outputs, tensor in zip(columns, input_tensor_list, strict=True)
    ]
    if async_op:
        return collect_all([work.get_future() for work in works])
    for work in works:
        work.wait()
    return None


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Writes each rank's tensor into that of its place in `gather_list`, on rank `dst` (default 0)."""
    if _outside(group):
        return None
    group, _ = member(group)
    root = 0 if dst is None and group_dst is None else _rank_of(group, "dst", dst, group_dst)
    return _run(_ops.start_gather, async_op, gather_list or [], tensor, group, root)


def gather_single(tensor, gather_tensor=None, dst=None, group=None, async_op=False, group_dst=None):
    """`gather` into one tensor, which has those of the ranks one behind the other."""
    if _outside(group):
        return None
    group, _ = member(group)
    parts = None
    if gather_tensor is not None:
        parts = chunks(gather_tensor, group.size(), "gather_single(): gather_tensor")
    return gather(tensor, parts, dst, group, async_op, group_dst)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Writes the tensors of rank `src` (default 0) into `tensor`, each on the rank of its place."""
    if _outside(group):
        return None
    group, _ = member(group)
    root = 0 if src is None and group_src is None else _rank_of(group, "src", src, group_src)
    return _run(_ops.start_scatter, async_op, tensor, scatter_list or [], group, root)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Writes into `output` what the tensors of this rank's place in all ranks' lists are together."""
    if _outside(group):
        return None
    if type(op) is not ReduceOp:
        raise _arguments.wrong_call()
    return _run(_ops.start_reduce_scatter, async_op, output, input_list, member(group)[0], op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """`reduce_scatter` of a tensor that has the ranks' parts one behind the other."""
    if _outside(group):
        return None
    if type(op) is not ReduceOp:
        raise _arguments.wrong_call()
    group, _ = member(group)
    parts = chunks(input, group.size(), "reduce_scatter_tensor(): input")
    return _run(_ops.start_reduce_scatter, async_op, output, parts, group, op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Gives each rank the tensor of its place, and gets one from each. Sizes may differ."""
    if _outside(group):
        return None
    return _run(
        _ops.start_all_to_all, async_op, output_tensor_list, input_tensor_list, member(group)[0]
    )


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False
):
    """`all_to_all` of tensors with the ranks' parts one behind the other in dimension 0, by default equal."""
    if _outside(group):
        return None
    group, _ = member(group)
    where = "all_to_all_single()"
    outputs = split(output, output_split_sizes, group.size(), where, "output_split_sizes")
    inputs = split(input, input_split_sizes, group.size(), where, "input_split_sizes")
    return _run(_ops.start_all_to_all, async_op, outputs, inputs, group)


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to rank `dst`; returns a Work."""
    if _outside(group):
        return None
    group, _ = member(group)
    return _run(_ops.start_send, True, tensor, group, _rank_of(group, "dst", dst, group_dst), tag)


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receives into a tensor what rank `src` (any, for None) sends with the same tag; returns a Work."""
    if _outside(group):
        return None
    group, _ = member(group)
    anybody = src is None and group_src is None
    root = -1 if anybody else _rank_of(group, "src", src, group_src)
    return _run(_ops.start_recv, True, tensor, group, root, tag)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to rank `dst`; returns when the tensor can be used again."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receives what rank `src` (any, for None) sends with the same tag; returns its rank in the world."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return get_global_rank(member(group)[0], work.source_rank())


class P2POp:
    """A send or receive for `batch_isend_irecv`: `op` is `isend` or `irecv`.

    `peer` is a rank of the world, `group_peer` one of the group; both are known afterwards.
    """

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be isend or irecv.")
        if not isinstance(tensor, Tensor):
            raise TypeError(f"P2POp(): tensor: expected a Tensor, got {type(tensor).__name__}")
        self.op, self.tensor, self.tag, self.group = op, tensor, tag, group
        self.peer, self.group_peer = peer, group_peer
        if _outside(group):
            return
        self.group, _ = member(group)
        if op is isend or (peer, group_peer) != (None, None):
            self.group_peer = _rank_of(self.group, "peer", peer, group_peer)
            self.peer = get_global_rank(self.group, self.group_peer)

    def __repr__(self):
        if _outside(self.group):
            return super().__repr__()
        here, there = self.group.rank(), self.group_peer
        source, target = (here, there) if self.op is isend else (there, here)
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, "
            f"group_dst={target}, {tuple(self.tensor.shape)}, {self.tensor.dtype})"
        )

    def _start(self):
        """Its Work; None where this process is not in the group."""
        key = "group_dst" if self.op is isend else "group_src"
        return self.op(self.tensor, group=self.group, tag=self.tag, **{key: self.group_peer})


def batch_isend_irecv(p2p_op_list):
    """Starts sends and receives together; returns their Works."""
    p2p_op_list = _arguments.sequence(
        p2p_op_list, "batch_isend_irecv()", "p2p_op_list", "a list of P2POps"
    )
    if not p2p_op_list or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Expected P2POps.")
    if _outside(p2p_op_list[0].group):
        return []
    group, _ = member(p2p_op_list[0].group)
    group._begin_batch()
    try:
        works = [p._start() for p in p2p_op_list]
    finally:
        group._end_batch()
    return [work for work in works if work is not None]


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Returns when every process of the group has called it."""
    if _outside(group):
        return None
    return _run(_ops.start_barrier, async_op, member(group)[0], timeout=_seconds(timeout))


# PyTorch's later names.
all_gather_single = all_gather_into_tensor
reduce_scatter_single = reduce_scatter_tensor
gather_into_tensor = gather_single


def supports_complex(reduceOp):  # noqa: N803
    """Whether a reduction means something for complex numbers: sums and averages do."""
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG)
