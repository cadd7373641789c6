"""What older programs took from PyTorch, which has no such module today, to run on Python 2 as well."""

import builtins  # noqa: F401 - programs import it from here
import collections.abc as container_abcs  # noqa: F401
import queue  # noqa: F401
from io import StringIO  # noqa: F401
from math import inf, nan  # noqa: F401

PY2, PY3, PY37 = False, True, True
string_classes = (str, bytes)
int_classes = int
FileNotFoundError = FileNotFoundError


def istuple(obj):
    """Whether an object is a tuple."""
    return isinstance(obj, tuple)


def raise_from(value, from_value):
    """Raises an exception that another one led to."""
    raise value from from_value


def with_metaclass(meta, *bases):
    """A class to derive from, whose class `meta` becomes that of those that do."""
    return meta("temporary_class", bases, {})


def get_function_from_type(cls, name):
    """The function of a method."""
    return getattr(cls, name, None)
