"""Marks for Intel's profilers, which Opweave does not tell."""

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available():
    """False: nothing is told to ITT."""
    return False


def _refuse(function):
    raise RuntimeError(
        f"profiler.itt.{function}(): nothing is told to ITT (is_available() says so); "
        "profiler.record_function() names blocks in profiles of opweave.profiler"
    )


def mark(msg):
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("mark")


def range_push(msg):
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("range_push")


def range_pop():
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("range_pop")


def range(msg, *args, **kwargs):
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("range")
