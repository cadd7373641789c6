"""Batches in memory that an accelerator reads while the program goes on."""

from opweave import _C
from opweave.utils.data._utils import containers


def pin_memory(data, device=None):
    """`data` with its tensors, and what else has a method `pin_memory`, in pinned memory.

    `device` is not looked at: memory is pinned for the current accelerator.
    """
    if isinstance(data, _C.Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    return containers.mapped(
        lambda item: pin_memory(item, device), data, lambda like, items: type(like)(items)
    )
