"""Parts of a tensor, one for each rank."""

from opweave._C import Tensor
from opweave.distributed import _arguments


def chunks(tensor, count, what):
    """As many parts of as many elements; ValueError where they do not divide."""
    if not isinstance(tensor, Tensor):
        where, _, argument = what.partition(": ")
        _arguments.tensor(tensor, where, argument)
    if tensor.numel() % count:
        raise ValueError(
            f"{what}: {tensor.numel()} elements are not {count} times as many as one rank's"
        )
    if not tensor.is_contiguous():
        raise ValueError(
            f"{what}: Tensors must be contiguous: it has the sizes {list(tensor.size())} and the strides "
            f"{list(tensor.stride())}"
        )
    return list(tensor.view(-1).chunk(count)) if tensor.numel() else [tensor.view(-1)] * count


def equal_share(tensor, dim, count, where):
    """How much of a dimension each rank has, of equal parts; ValueError where it does not divide."""
    share, left = divmod(tensor.size(dim), count)
    if left:
        raise ValueError(
            f"{where}: Tensor's dim {dim} ({tensor.size(dim)}) does not divide equally "
            f"across group size {count}"
        )
    return share


def split(tensor, sizes, count, where, what):
    """Parts of so many rows each; equal ones for None. ValueError where they are not its rows."""
    argument = what.partition("_")[0]
    if _arguments.tensor(tensor, where, argument).dim() == 0:
        raise ValueError(
            f"{where}: {argument}: expected a tensor with rows, got one of 0 dimensions"
        )
    if sizes is None:
        return list(tensor.split([equal_share(tensor, 0, count, where)] * count))
    sizes = _arguments.sequence(sizes, where, what, "a list of ints")
    for size in sizes:
        _arguments.rank(size, where, what)
    if len(sizes) != count or sum(sizes) != tensor.size(0):
        raise ValueError(
            f"{where}: {what}: expected {count} sizes that sum to {tensor.size(0)}, got {sizes}"
        )
    return list(tensor.split(sizes))
