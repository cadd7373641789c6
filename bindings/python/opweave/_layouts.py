"""How tensors of images and volumes lie: with their channels last, or in order."""

from opweave import _C

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
    return getattr(_C, _FORMATS[tensor.dim()])
