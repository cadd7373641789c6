"""What recurrent layers, their cells and packed sequences are given; sizes are checked by the operators."""

import itertools

from opweave import _C


def _is_list(value):
    return isinstance(value, (list, tuple))


def check_tensors(name, **tensors):
    """Refuses what is no tensor, by the name of the argument.

    Raises:
        TypeError: one is of another type.
    """
    for argument, value in tensors.items():
        if not isinstance(value, _C.Tensor):
            raise TypeError(
                f"{name}(): argument '{argument}' must be Tensor, not {type(value).__name__}"
            )


def pair_of(name, hx):
    """The two states of an LSTM. The halves of a tensor would be meant by chance alone.

    Raises:
        TypeError: it is no list.
        RuntimeError: it is a list of another length.
    """
    if not _is_list(hx):
        raise TypeError(
            f"{name}(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}"
        )
    if len(hx) != 2:
        raise RuntimeError(f"{name}() expects two hidden states, but got {len(hx)}")
    return tuple(hx)


def check_batch_sizes(name, batch_sizes, elements=None):
    """The examples of each step of a packed sequence, as a list.

    Args:
        name: of who asks.
        batch_sizes: a vector of whole numbers.
        elements: how many there are in all steps, where that is known.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: another shape or dtype, sizes that rise or are negative, or of other elements.
    """
    check_tensors(name, batch_sizes=batch_sizes)
    if batch_sizes.dim() != 1 or batch_sizes.is_floating_point():
        raise RuntimeError(
            f"{name}(): expected batch_sizes to be a 1D tensor of integers, but got {batch_sizes.dim()}D, "
            f"{batch_sizes.dtype}"
        )
    sizes = batch_sizes.tolist()
    if (
        any(after > before for before, after in itertools.pairwise(sizes))
        or min(sizes, default=0) < 0
    ):
        raise RuntimeError(
            f"{name}(): expected batch_sizes that do not rise, the longest sequences first, and are not "
            f"negative, but got {_shortened(sizes)}"
        )
    if elements is not None and (not sizes or sum(sizes) != elements):
        raise RuntimeError(
            f"{name}(): expected batch_sizes of the {elements} elements of the data, but "
            f"{_shortened(sizes)} are {sum(sizes)}"
        )
    return sizes


def _shortened(sizes):
    return str(sizes) if len(sizes) <= 8 else f"[{', '.join(map(str, sizes[:8]))}, ...]"
