"""Differentiable collectives, with the names and arguments of `torch.distributed.nn.functional`.

They return what they compute, also where an argument is called `output`, which says sizes alone.
`opweave.distributed._functional_collectives` has the same with less around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opweave import _C
from opweave._C import Tensor
from opweave.distributed import _functional_collectives as _functions
from opweave.distributed._chunks import equal_share
from opweave.distributed._groups import get_group_rank, member
from opweave.distributed._reductions import ReduceOp


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of rank `src` (of the world), on every rank."""
    group, _ = member(group)
    return _functions.broadcast(tensor, get_group_rank(group, src), group)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all ranks on rank `dst` (of the world), in a tuple; zeros on the others."""
    group, _ = member(group)
    root = get_group_rank(group, dst)
    stacked = _functions.gather(tensor, root, group)
    if group.rank() == root:
        return stacked.unbind(0)
    nothing = _C.zeros_like(tensor) + stacked.sum()  # for the backward pass, which all ranks run
    return (nothing,) * group.size()


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """Of the tensors of rank `src` (of the world), the one that is for this rank; all of the same sizes."""
    group, _ = member(group)
    return _functions.scatter(_C.stack(list(tensors)), get_group_rank(group, src), group)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """What the tensors of all ranks are together on rank `dst` (of the world), and zeros on the others."""
    group, _ = member(group)
    return _functions.reduce(tensor, get_group_rank(group, dst), op, group)


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """What the tensors of this rank's place in all lists are together; all of the sizes of `output`."""
    stacked = _C.stack(list(input_list))
    return _functions.reduce_scatter_single(stacked, op, 0, group).view(output.size())


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all ranks, of the same sizes, in a tuple."""
    return _functions.all_gather_single(tensor.unsqueeze(0), 0, group).unbind(0)


def _all_gather_base(output_tensor, input_tensor, group=None):
    """The tensors of all ranks one behind the other, with the sizes of `output_tensor`."""
    return _functions.all_gather_single(input_tensor, 0, group).view(output_tensor.size())


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """Gives each rank the tensor of its place; one from each, in a tuple, with the sizes of the outputs."""
    return tuple(_functions.all_to_all(output_tensor_list, input_tensor_list, group))


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
) -> Tensor:
    """Gives each rank its rows of `input`, and joins what each gives to this one."""
    size = member(group)[0].size()
    comes = output_split_sizes or [equal_share(output, 0, size, "all_to_all_single()")] * size
    return _functions.all_to_all_single(input, comes, input_split_sizes, group).view(output.size())


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """What the tensors of all ranks are together, on every rank."""
    return _functions.all_reduce(tensor, op, group)
