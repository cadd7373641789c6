"""Refusals of arguments of the wrong type: they name the function, the argument and what was given."""

from datetime import timedelta

from opweave import Tensor


def expect(value, kind, where, argument, what):
    """The value, which is of a kind; TypeError that says which was expected."""
    if not isinstance(value, kind):
        raise TypeError(f"{where}: {argument}: expected {what}, got {type(value).__name__}")
    return value


def tensor(value, where, argument):
    """A Tensor."""
    return expect(value, Tensor, where, argument, "a Tensor")


def rank(value, where, argument):
    """A whole number of any type."""
    if not hasattr(type(value), "__index__"):
        expect(value, int, where, argument, "an int")
    return value


def limit(value, where, argument="timeout"):
    """A timedelta, or None."""
    return expect(value, timedelta | None, where, argument, "a timedelta")


def sequence(value, where, argument, what):
    """What can be listed, and is no text, as a list."""
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        raise TypeError(f"{where}: {argument}: expected {what}, got {type(value).__name__}")
    return list(value)
