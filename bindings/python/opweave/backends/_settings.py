"""Settings as attributes of modules and objects: each is checked when it is assigned."""

import contextlib
import sys
import types

_frozen = {"is": False}


class Setting:
    """One setting: what it is at first, and which values it takes.

    Args:
        value: what it is until it is assigned.
        refused: the values that ask for what is not there, each with the reason.
        kind: the type of the values.
        known: the values that there are; all of the type without it.
    """

    def __init__(self, value, refused=None, kind=bool, known=None):
        self.refused = refused or {}
        self.kind = kind
        self.known = known
        self.value = value

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

    def state(self):
        """What restore() takes."""
        return self.value

    def restore(self, state):
        """Has it be what it was."""
        self.value = state


class Fixed(Setting):
    """What a program can read alone.

    Args:
        value: what it is.
        reason: why it cannot be assigned.
    """

    def __init__(self, value, reason):
        super().__init__(value)
        self._reason = reason

    def assign(self, name, value):
        """Raises."""
        raise RuntimeError(f"{name} = {value!r}: Assignment not supported, {self._reason}")


class Settings:
    """Settings as the attributes of an object, which has no others.

    Args:
        name: of the object, for errors.
        settings: by their names.
    """

    def __init__(self, name, settings):
        self.__dict__.update(_name=name, _settings=settings)

    def _of(self, name):
        if name.startswith("__") or name not in self._settings:
            raise AttributeError(f"Unknown attribute {name} of {self._name}")
        return self._settings[name]

    def __getattr__(self, name):
        return self._of(name).value

    def __setattr__(self, name, value):
        self._of(name).assign(f"{self._name}.{name}", value)

    def __dir__(self):
        return sorted(self._settings)


class SettingsModule(types.ModuleType):
    """A module with `_settings`: its settings by name."""

    def __getattribute__(self, name):
        settings = types.ModuleType.__getattribute__(self, "__dict__").get("_settings", {})
        if name in settings:
            return settings[name].value
        return types.ModuleType.__getattribute__(self, name)

    def __setattr__(self, name, value):
        settings = self.__dict__.get("_settings", {})
        if name not in settings:
            super().__setattr__(name, value)
            return
        if _frozen["is"]:
            raise RuntimeError(
                f"not allowed to set {self.__name__} flags after disable_global_flags; please use flags() "
                "context manager instead"
            )
        settings[name].assign(f"{self.__name__}.{name}", value)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._settings})


def make_module(name):
    """Makes the assignments of a module, which has defined `_settings`, act."""
    sys.modules[name].__class__ = SettingsModule


def disable_global_flags():
    """From now on settings of modules of `backends` change within their flags() alone, as test suites ask."""
    _frozen["is"] = True


def flags_frozen():
    """Whether disable_global_flags() was called."""
    return _frozen["is"]


def _assign(name, settings, changes):
    for key, value in changes.items():
        if value is not None:
            settings[key].assign(f"{name}.{key}", value)


def set_flags(name, changes):
    """Assigns settings of a module; None changes nothing. What they were, in this order."""
    settings = sys.modules[name]._settings
    before = tuple(settings[key].value for key in changes)
    _assign(name, settings, changes)
    return before


@contextlib.contextmanager
def flags(name, changes):
    """Settings of a module within `with`; None changes nothing."""
    settings = sys.modules[name]._settings
    before = {key: settings[key].state() for key in changes}
    try:
        _assign(name, settings, changes)
        yield
    finally:
        for key, state in before.items():
            settings[key].restore(state)
