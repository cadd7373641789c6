"""The order in which einsum() multiplies more than two tensors: the one that the package opt_einsum finds
where that is installed and `enabled`, else from the left."""

import importlib
import importlib.util

from opweave.backends import _settings as _of_settings

_NOT_THERE = "the package opt_einsum is not installed, and einsum() multiplies from the left"


class _Enabled(_of_settings.Setting):
    def assign(self, name, value):
        """Takes a value.

        Raises:
            ValueError: True, and the package is not installed.
        """
        if value and not is_available():
            raise ValueError(f"{name} = {value!r}: {_NOT_THERE}")
        super().assign(name, value)


class _Strategy(_of_settings.Setting):
    def assign(self, name, value):
        """Takes a value.

        Raises:
            ValueError: it has no meaning, or there is no such strategy.
        """
        if not is_available():
            raise ValueError(f"{name} = {value!r}: {_NOT_THERE}")
        if not _settings["enabled"].value:
            raise ValueError(f"{name} = {value!r} will not be meaningful: `enabled` is False")
        if value not in self.known:
            raise ValueError(
                f"`strategy` must be one of the following: [{', '.join(self.known)}] but is {value!r}"
            )
        self.value = value


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
    "enabled": _Enabled(_installed),
    "strategy": _Strategy("auto" if _installed else None, known=("auto", "greedy", "optimal")),
}
_of_settings.make_module(__name__)
