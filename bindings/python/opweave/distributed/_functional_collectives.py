"""Collectives as functions: a new tensor on every rank, which autograd differentiates.

Every rank has to call them, and every rank's backward pass has to reach them: the gradient of a
collective is one, too.
"""

import types

from opweave import _C
from opweave.distributed import _arguments
from opweave.distributed import _operators as _ops
from opweave.distributed._chunks import equal_share
from opweave.distributed._groups import member


def all_reduce(self, reduceOp, group=None, tag=""):  # noqa: N803
    """What the tensors of all ranks are together (`reduceOp`), on every rank.

    Differentiable for "sum" and "avg".
    """
    return _ops.dist_all_reduce(self, member(group)[0], reduceOp)


def all_reduce_coalesced(self, reduceOp, group=None, tag=""):  # noqa: N803
    """`all_reduce` of each tensor of a list."""
    return [all_reduce(tensor, reduceOp, group) for tensor in self]


def broadcast(self, src, group=None, tag=""):
    """The tensor of rank `src` of the group, on every rank. All have its sizes and dtype."""
    return _ops.dist_broadcast(self, member(group)[0], src)


def all_gather_single(self, gather_dim, group=None, tag=""):
    """The tensors of all ranks, of the same sizes, joined along a dimension, on every rank."""
    group, _ = member(group)
    given, count = self.reshape(1) if self.dim() == 0 else self, group.size()
    size = given.size(gather_dim)
    return _ops.dist_all_gather(given, group, [size] * count, size * count, gather_dim)


def reduce_scatter_single(self, reduceOp, scatter_dim, group=None, tag=""):  # noqa: N803
    """What the tensors of all ranks are together, of which each rank gets its part along a dimension.

    The size along it is a multiple of the number of ranks. Differentiable for "sum" and "avg".
    """
    group, _ = member(group)
    size = equal_share(self, scatter_dim, group.size(), "reduce_scatter_single()")
    sizes = [size] * group.size()
    return _ops.dist_reduce_scatter(self, group, sizes, size, reduceOp, scatter_dim)


all_gather_tensor = all_gather_single_autograd = all_gather_tensor_autograd = all_gather_single
reduce_scatter_tensor = reduce_scatter_single
reduce_scatter_single_autograd = reduce_scatter_tensor_autograd = reduce_scatter_single


def all_gather_into_tensor_coalesced(self, group=None, tag=""):
    """`all_gather_single` of each tensor of a list, along dimension 0."""
    return [all_gather_single(tensor, 0, group) for tensor in self]


def reduce_scatter_tensor_coalesced(inputs, reduceOp, scatter_dim, group=None, tag=""):  # noqa: N803
    """`reduce_scatter_single` of each tensor of a list, along the dimension of its place."""
    return [
        reduce_scatter_single(t, reduceOp, d, group)
        for t, d in zip(inputs, scatter_dim, strict=True)
    ]


all_gather_single_coalesced = all_gather_into_tensor_coalesced
reduce_scatter_single_coalesced = reduce_scatter_tensor_coalesced


def _equal_parts(tensor, group):
    """How many rows of a tensor each rank has, by rank; ValueError where they do not divide."""
    return [equal_share(tensor, 0, group.size(), "all_to_all_single()")] * group.size()


def all_to_all_single(self, output_split_sizes=None, input_split_sizes=None, group=None, tag=""):
    """Gives each rank its rows of the tensor, and joins what each gives to this one.

    Args:
        output_split_sizes: how many rows come from each rank; None: as many from each.
        input_split_sizes: how many rows go to each; None: as many to each.
    """
    group, _ = member(group)
    goes = input_split_sizes or _equal_parts(self, group)
    comes = output_split_sizes or _equal_parts(self, group)
    return _ops.dist_all_to_all(self, group, list(comes), list(goes), sum(comes))


all_to_all_single_autograd = all_to_all_single


def permute_tensor(self, src_dst, group=None, tag=""):
    """Gives the tensor to rank `src_dst[rank]`, and returns the one that comes.

    Args:
        src_dst: to which rank each gives its own: a permutation of the ranks.
    """
    group, _ = member(group)
    src_dst = _arguments.sequence(src_dst, "permute_tensor()", "src_dst", "a list of ints")
    if sorted(src_dst) != list(range(group.size())):
        raise ValueError(f"permute_tensor(): expected a permutation of the ranks, got {src_dst}")
    rows = self.unsqueeze(0)
    goes, comes = [0] * group.size(), [0] * group.size()
    goes[src_dst[group.rank()]] = comes[src_dst.index(group.rank())] = 1
    return _ops.dist_all_to_all(rows, group, comes, goes, 1).squeeze(0)


def wait_tensor(tensor):
    """The tensor: what these functions return is there."""
    return tensor


def wait_tensors(tensors):
    """The tensors, likewise."""
    return list(tensors)


def send(self, dst, group=None, tag=0):
    """Sends a tensor to rank `dst` of the group.

    Returns zeros of its sizes. They belong to the loss: their gradient is what that rank's `recv` sends back.
    """
    return _ops.dist_send(self, member(group)[0], dst, tag)


def recv(self, src, group=None, tag=0):
    """What rank `src` of the group sends, with the sizes and dtype of a tensor, which requires grad where the
    gradient is to be sent back."""
    return _ops.dist_recv(self, member(group)[0], src, tag)


def reduce(self, dst, reduceOp="sum", group=None):  # noqa: N803
    """What the tensors of all ranks are together on rank `dst` of the group, and zeros on the others."""
    return _ops.dist_reduce(self, member(group)[0], dst, reduceOp)


def gather(self, dst, group=None):
    """The tensors of all ranks, of the same sizes, stacked on rank `dst` of the group; none on the others."""
    group, _ = member(group)
    count = group.size() if group.rank() == dst else 0
    return _ops.dist_gather(self.unsqueeze(0), group, dst, [1] * group.size(), count)


def scatter(self, src, group=None):
    """Of the tensors that are stacked on rank `src` of the group, the one that is for this rank.

    On the other ranks only the dtype and the sizes of the tensor count, but for the first.
    """
    group, _ = member(group)
    return _ops.dist_scatter(self, group, src, [1] * group.size(), 1).squeeze(0)


def _joined(tensors):
    return _C.cat([tensor.reshape(-1) for tensor in tensors])


def all_to_all(output_like, inputs, group=None):
    """Gives each rank the tensor of its place; returns one from each, with the sizes in `output_like`."""
    group, _ = member(group)
    goes, comes = [t.numel() for t in inputs], [t.numel() for t in output_like]
    parts = _ops.dist_all_to_all(_joined(inputs), group, comes, goes, sum(comes)).split(comes)
    return [part.view(like.size()) for part, like in zip(parts, output_like, strict=True)]


# Errors of operators name the function that was called.
_named = {
    function: _arguments.naming(function)
    for name, function in globals().items()
    if isinstance(function, types.FunctionType)
    and function.__module__ == __name__
    and not name.startswith("_")
}
globals().update(
    {n: _named[f] for n, f in globals().items() if type(f) is types.FunctionType and f in _named}
)
