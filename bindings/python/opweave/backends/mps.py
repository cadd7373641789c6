"""Apple's devices, for which there is no target."""

import opweave

__all__ = ["is_available", "is_built"]


def is_built():
    """Whether the target is installed."""
    return "mps" in opweave._targets.available()


def is_available():
    """Whether there is a usable device."""
    return opweave.mps.is_available()
