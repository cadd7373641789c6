"""Marks for Intel's profilers, which Opweave does not tell."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available() -> bool:
    """False: nothing is told to ITT."""
    return False


def _refuse(function):
    raise RuntimeError(
        f"profiler.itt.{function}(): nothing is told to ITT (is_available() says so); "
        "profiler.record_function() names blocks in profiles of opweave.profiler"
    )


def mark(msg: str) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("mark")


def range_push(msg: str) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("range_push")


def range_pop() -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("range_pop")


def range(msg: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    _refuse("range")
