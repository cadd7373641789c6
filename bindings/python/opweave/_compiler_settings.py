"""Settings of a compiler that is not there, as PyTorch's programs write them: kept, and read back."""

import contextlib
import types


class Settings(types.ModuleType):
    """A module whose attributes are such settings; those that nobody has set are not there."""

    def __getattr__(self, name):
        raise AttributeError(
            f"module '{self.__name__}' has no attribute '{name}': nothing is compiled, and only settings "
            "that a program has made can be read"
        )

    def patch(self, key=None, value=None, **changes):
        """Settings within `with`, or while a function runs that this decorates.

        Args:
            key: the name of one, whose value is `value`; or several in a dictionary.
        """
        given = key if isinstance(key, dict) else {} if key is None else {key: value}
        return _patched(self, {**given, **changes})


@contextlib.contextmanager
def _patched(settings, changes):
    before = {name: vars(settings)[name] for name in changes if name in vars(settings)}
    vars(settings).update(changes)
    try:
        yield
    finally:
        for name in changes:
            del vars(settings)[name]
        vars(settings).update(before)
