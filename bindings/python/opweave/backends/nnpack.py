"""NNPACK, which no kernel uses: a permission that nothing makes use of."""

import contextlib

from opweave.backends._settings import Setting

__all__ = ["flags", "is_available", "set_flags"]

_permission = Setting(True)


def is_available():
    """Whether there is NNPACK: no."""
    return False


def set_flags(_enabled):
    """Whether it may be used; what was said before, as a tuple."""
    before = (_permission.value,)
    _permission.assign("opweave.backends.nnpack.enabled", _enabled)
    return before


@contextlib.contextmanager
def flags(enabled=False):
    """The permission within `with`."""
    before = set_flags(enabled)
    try:
        yield
    finally:
        set_flags(*before)
