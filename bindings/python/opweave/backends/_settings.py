"""Modules whose attributes are settings: each is checked when it is assigned."""

import contextlib
import sys
import types

# How float32 operands may be rounded before products of them.
PRECISIONS = ("none", "ieee", "tf32", "bf16")


class Setting:
    """One setting: what it is at first, and which values it takes.

    Args:
        value: what it is until it is assigned.
        refused: the values that ask for what is not there, each with the reason.
        kind: the type of the values.
        known: the values that there are; all of the type without it.
    """

    def __init__(self, value, refused=None, kind=bool, known=None):
        self.value = value
        self.refused = refused or {}
        self.kind = kind
        self.known = known

    def _kinds(self):
        kinds = self.kind if isinstance(self.kind, tuple) else (self.kind,)
        return " or ".join(k.__name__ for k in kinds)

    def assign(self, name, value):
        """Takes a value, or raises."""
        if not isinstance(value, self.kind):
            raise RuntimeError(
                f"{name} expects {self._kinds()}, but got {type(value).__name__} ({value!r})"
            )
        if self.known is not None and value not in self.known:
            raise RuntimeError(f"{name} expects one of {', '.join(self.known)}, but got {value!r}")
        if value in self.refused:
            raise RuntimeError(f"{name} = {value!r}: {self.refused[value]}")
        self.value = value


class SettingsModule(types.ModuleType):
    """A module with `_settings`: its settings by name."""

    def __getattribute__(self, name):
        settings = types.ModuleType.__getattribute__(self, "__dict__").get("_settings", {})
        if name in settings:
            return settings[name].value
        return types.ModuleType.__getattribute__(self, name)

    def __setattr__(self, name, value):
        settings = self.__dict__.get("_settings", {})
        if name in settings:
            settings[name].assign(f"{self.__name__}.{name}", value)
        else:
            super().__setattr__(name, value)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._settings})


def make_module(name):
    """Makes the assignments of a module, which has defined `_settings`, act."""
    sys.modules[name].__class__ = SettingsModule


def set_flags(name, changes):
    """Assigns settings of a module; None changes nothing. What they were, in this order."""
    module = sys.modules[name]
    before = tuple(getattr(module, key) for key in changes)
    for key, value in changes.items():
        if value is not None:
            setattr(module, key, value)
    return before


@contextlib.contextmanager
def flags(name, changes):
    """Settings of a module within `with`; None changes nothing."""
    module = sys.modules[name]
    before = {key: getattr(module, key) for key, value in changes.items() if value is not None}
    try:
        for key in before:
            setattr(module, key, changes[key])
        yield
    finally:
        for key, value in before.items():
            setattr(module, key, value)
