"""What functions written in Python ask of values under vmap, where a tensor stands for many examples."""

from opweave import _C


def every_example(tensor):
    """The values of all examples that a tensor stands for; the tensor itself outside of vmap.

    For checks and sizes alone: what is computed of them is no example's result.
    """
    level, value = _C._batch_value(tensor)
    return every_example(value) if level else tensor


def same_number(name, numbers):
    """The number that all examples have in common.

    Args:
        name: of the function that makes a size of it.
        numbers: a tensor without dimensions.

    Raises:
        RuntimeError: they have others, so that their results would differ in shape.
    """
    all_numbers = every_example(numbers)
    low, high = int(all_numbers.min()), int(all_numbers.max())
    if low != high:
        raise RuntimeError(
            f"vmap: the results of {name} differ in shape between the examples: [{low}] and [{high}]"
        )
    return low


def drawn_for(name, tensor):
    """The tensor, as one that stands for as many examples as draw for themselves: what is drawn in its shape
    is each one's own where vmap's randomness is "different", and the same where that is "same".

    Raises:
        RuntimeError: the tensor differs between examples that are to draw the same.
    """
    depth = _C._vmap_depth()
    at = tensor
    while (found := _C._batch_value(at))[0]:
        level, at = found
        if _C._vmap_randomness(level) == "same":
            raise RuntimeError(
                f"vmap: {name} does not currently support same randomness with a batched tensor input"
            )
    return _C._from_physical(_C._to_physical(tensor, depth), depth) if depth else tensor
