"""What load() may make beside tensors and containers when it reads weights only."""

import contextlib

_allowed = []


def _check(safe_globals, function):
    if isinstance(safe_globals, (str, bytes)) or not hasattr(safe_globals, "__iter__"):
        raise TypeError(
            f"{function}(): a list of classes or functions is expected, not {safe_globals!r}"
        )
    entries = list(safe_globals)
    for entry in entries:
        named = isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[1], str)
        if not callable(entry[0] if named else entry):
            raise TypeError(
                f"{function}(): classes, functions and pairs of one and its name are expected, not {entry!r}"
            )
    return entries


def add_safe_globals(safe_globals):
    """Lets load(weights_only=True) make objects of classes, and call functions, that files name.

    Args:
        safe_globals: a list of them; a pair gives the full name that files have for it instead of its own.
    """
    _allowed.extend(e for e in _check(safe_globals, "add_safe_globals") if e not in _allowed)


def get_safe_globals():
    """What was allowed so far."""
    return list(_allowed)


def clear_safe_globals():
    """Forbids again what was allowed."""
    _allowed.clear()


class safe_globals(contextlib.AbstractContextManager):  # noqa: N801
    """Allows classes and functions within a block. The argument is that of add_safe_globals()."""

    def __init__(self, safe_globals):
        self._more = _check(safe_globals, "safe_globals")

    def __enter__(self):
        self._before = list(_allowed)
        add_safe_globals(self._more)
        return self

    def __exit__(self, *exception):
        _allowed[:] = self._before
