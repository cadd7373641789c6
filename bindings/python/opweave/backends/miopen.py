"""MIOpen, which no kernel uses.

`immediate` is a permission that nothing makes use of.
"""

from opweave.backends._settings import Setting, make_module
from opweave.backends._settings import flags as _flags
from opweave.backends._settings import set_flags as _set_flags

__all__ = ["flags", "set_flags"]

_settings = {"immediate": Setting(False)}


def set_flags(_immediate=None):
    """Assigns the setting unless it is None; what it was, as a tuple."""
    return _set_flags(__name__, {"immediate": _immediate})


def flags(immediate=False):
    """The setting within `with`."""
    return _flags(__name__, {"immediate": immediate})


make_module(__name__)
