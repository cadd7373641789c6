"""Parts of a tensor, one for each rank."""

from opweave import Tensor
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
    return list(tensor.view(-1).chunk(count)) if tensor.numel() else [tensor.view(-1)] * count


def split(tensor, sizes, count, where, what):
    """Parts of so many rows each; equal ones for None. ValueError where they are not its rows."""
    _arguments.tensor(tensor, where, what.partition("_")[0])
    if sizes is None:
        if tensor.size(0) % count:
            raise ValueError(
                f"{where}: Tensor's dim 0 ({tensor.size(0)}) does not divide equally "
                f"across group size {count}"
            )
        return list(tensor.split([tensor.size(0) // count] * count))
    sizes = _arguments.sequence(sizes, where, what, "a list of ints")
    for size in sizes:
        _arguments.rank(size, where, what)
    if len(sizes) != count or sum(sizes) != tensor.size(0):
        raise ValueError(
            f"{where}: {what}: expected {count} sizes that sum to {tensor.size(0)}, got {sizes}"
        )
    return list(tensor.split(sizes))
