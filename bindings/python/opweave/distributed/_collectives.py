"""Collectives, with PyTorch's names and arguments, on tensors of this process."""

from opweave._distributed import ProcessGroup
from opweave.distributed import _operators as _ops
from opweave.distributed._coalescing import collecting, collects
from opweave.distributed._groups import GroupMember, get_global_rank, get_group_rank, member

# Those that take a list of tensors, each for itself.
_JOINED = (_ops.start_all_reduce, _ops.start_broadcast, _ops.start_reduce)


class ReduceOp:
    """How tensors are combined: `ReduceOp.SUM`."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = [
        "sum",
        "avg",
        "product",
        "min",
        "max",
        "band",
        "bor",
        "bxor",
    ]


def _run(start, async_op, *arguments, **options):
    if collects():
        group = next(a for a in arguments if isinstance(a, ProcessGroup))
        if (manager := collecting(group)) is not None:
            manager.calls.append((start, arguments, options, start in _JOINED))
            return None
    work = start(*arguments, async_op=async_op, **options)
    return work if async_op else None


def _seconds(timeout):
    return None if timeout is None else timeout.total_seconds()


def _outside(group):
    return group == GroupMember.NON_GROUP_MEMBER


def _rank_of(group, name, rank, in_group):
    """The rank in the group, given there or in the world; one of the two."""
    if (rank is None) == (in_group is None):
        raise ValueError(
            f"expected either {name} or group_{name}, got {name}={rank} and group_{name}={in_group}"
        )
    return in_group if rank is None else get_group_rank(group, rank)


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
    return _run(_ops.start_all_reduce, async_op, tensors, member(group)[0], op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Writes what the tensors of all ranks are together into that of rank `dst`; the others keep theirs."""
    if _outside(group):
        return None
    group, _ = member(group)
    root = _rank_of(group, "dst", dst, group_dst)
    return _run(_ops.start_reduce, async_op, [tensor], group, root, op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Writes each rank's tensor into that of its place in `tensor_list`, on every rank. Sizes may differ."""
    if _outside(group):
        return None
    return _run(_ops.start_all_gather, async_op, tensor_list, tensor, member(group)[0])


def _chunks(tensor, count, what):
    if tensor.numel() % count:
        raise ValueError(
            f"{what}: {tensor.numel()} elements are not {count} times as many as one rank's"
        )
    return list(tensor.view(-1).chunk(count)) if tensor.numel() else [tensor.view(-1)] * count


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Writes the tensors of all ranks one behind the other into `output_tensor`."""
    if _outside(group):
        return None
    group, _ = member(group)
    parts = _chunks(output_tensor, group.size(), "all_gather_into_tensor(): output tensor")
    return _run(_ops.start_all_gather, async_op, parts, input_tensor, group)


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
        parts = _chunks(gather_tensor, group.size(), "gather_single(): gather_tensor")
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
    return _run(_ops.start_reduce_scatter, async_op, output, input_list, member(group)[0], op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """`reduce_scatter` of a tensor that has the ranks' parts one behind the other."""
    if _outside(group):
        return None
    group, _ = member(group)
    parts = _chunks(input, group.size(), "reduce_scatter_tensor(): input tensor")
    return _run(_ops.start_reduce_scatter, async_op, output, parts, group, op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Gives each rank the tensor of its place, and gets one from each. Sizes may differ."""
    if _outside(group):
        return None
    return _run(
        _ops.start_all_to_all, async_op, output_tensor_list, input_tensor_list, member(group)[0]
    )


def _split(tensor, sizes, count, what):
    if sizes is None:
        if tensor.size(0) % count:
            raise ValueError(
                f"all_to_all_single(): Tensor's dim 0 ({tensor.size(0)}) does not divide equally "
                f"across group size {count}"
            )
        sizes = [tensor.size(0) // count] * count
    if len(sizes) != count or sum(sizes) != tensor.size(0):
        raise ValueError(
            f"all_to_all_single(): {what}: expected {count} sizes that sum to "
            f"{tensor.size(0)}, got {list(sizes)}"
        )
    return list(tensor.split(list(sizes)))


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False
):
    """`all_to_all` of tensors with the ranks' parts one behind the other in dimension 0, by default equal."""
    if _outside(group):
        return None
    group, _ = member(group)
    outputs = _split(output, output_split_sizes, group.size(), "output_split_sizes")
    inputs = _split(input, input_split_sizes, group.size(), "input_split_sizes")
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
    """A send or receive for `batch_isend_irecv`: `op` is `isend` or `irecv`."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be isend or irecv.")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = (
            op,
            tensor,
            peer,
            group,
            tag,
            group_peer,
        )


def batch_isend_irecv(p2p_op_list):
    """Starts sends and receives together; returns their Works."""
    if not p2p_op_list or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Expected P2POps.")
    if _outside(p2p_op_list[0].group):
        return []
    group, _ = member(p2p_op_list[0].group)
    group._begin_batch()
    try:
        works = [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]
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
