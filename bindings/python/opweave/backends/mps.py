"""Apple's devices, for which there is no target."""

from opweave import _targets

__all__ = [
    *("get_core_count", "get_name", "is_available", "is_built", "is_macos13_or_newer"),
    "is_macos_or_newer",
]


def is_built():
    """Whether the target is installed."""
    return "mps" in _targets.available()


def is_available():
    """Whether there is a usable device."""
    return _targets.module("mps").is_available()


def is_macos_or_newer(major, minor):
    """Whether the system is macOS, of this version or a later one: no."""
    return False


def is_macos13_or_newer(minor=0):
    """Whether the system is macOS 13 or a later one: no."""
    return False


def get_name():
    """What the device is called.

    Raises:
        RuntimeError: there is none.
    """
    return _targets.module("mps").get_device_name()


def get_core_count():
    """How many cores the device has.

    Raises:
        RuntimeError: there is none.
    """
    return _targets.module("mps").get_device_properties().multi_processor_count
