"""How tensors of images and volumes lie: with their channels last, or in order."""

import opweave

_FORMATS = {4: "channels_last", 5: "channels_last_3d"}


def channels_last_of(tensor):
    """The memory format with the channels last, if it is how a tensor lies; also where elements between are
    left out. None for one whose strides fit the order of its dimensions as well, and for other ranks."""
    if tensor.dim() not in _FORMATS:
        return None
    sizes, steps = tensor.shape, tensor.stride()
    if 0 in sizes or steps[1] == 0:
        return None
    least = 0
    for d in (1, *range(tensor.dim() - 1, 1, -1), 0):
        if steps[d] < least or (d == 0 and least == steps[1]):
            return None
        least = steps[d] * max(sizes[d], 1)
    return getattr(opweave, _FORMATS[tensor.dim()])


def is_expanded(tensor):
    """Whether several elements are in one place, as far as strides of zero tell."""
    return any(step == 0 and n > 1 for step, n in zip(tensor.stride(), tensor.shape, strict=True))
