"""What classes with `__torch_dispatch__` in libraries use around their calls."""

from opweave._dispatch_classes import leave_unasked as no_dispatch

__all__ = ["all_same_mode", "no_dispatch"]


def all_same_mode(modes):
    """Whether all of some modes are one."""
    return all(mode == modes[0] for mode in modes)
