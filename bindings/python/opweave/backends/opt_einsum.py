"""The order in which einsum() multiplies more than two tensors: the one that the package opt_einsum finds
where that is installed and `enabled`, else from the left."""

import importlib
import importlib.util

from opweave.backends import _settings as _of_settings


class _Setting(_of_settings.Setting):
    """A setting that is meaningful only where the package is installed."""

    def assign(self, name, value):
        if value and not is_available():
            raise ValueError(
                f"{name} = {value!r}: the package opt_einsum is not installed, and einsum() multiplies from "
                "the left"
            )
        super().assign(name, value)


def is_available():
    """Whether the package is installed."""
    return importlib.util.find_spec("opt_einsum") is not None


def get_opt_einsum():
    """The package; None where it is not installed."""
    return importlib.import_module("opt_einsum") if is_available() else None


def set_flags(_enabled=None, _strategy=None):
    """Assigns settings; None changes nothing.

    Returns:
        tuple: what they were.
    """
    return _of_settings.set_flags(__name__, {"enabled": _enabled, "strategy": _strategy})


def flags(enabled=None, strategy=None):
    """Settings within `with`; None changes nothing."""
    return _of_settings.flags(__name__, {"enabled": enabled, "strategy": strategy})


_installed = is_available()
_settings = {
    "enabled": _Setting(_installed),
    "strategy": _Setting(
        "auto" if _installed else None,
        kind=str if _installed else (str, type(None)),
        known=("auto", "greedy", "optimal", "auto-hq", "dp", "branch-2") if _installed else None,
    ),
}
_of_settings.make_module(__name__)
