"""Refusals of arguments: they name the function that the program called, the argument and what was given.

What is of a wrong type is found where it fails, so that good calls pay nothing: arguments have the names that
PyTorch gives them, and a name means the same in all functions.
"""

import functools
import os
import re
import sys
from datetime import timedelta

from opweave._C import Tensor
from opweave._distributed import ProcessGroup, Store
from opweave.distributed._reductions import ReduceOp

_FOLDER = os.path.dirname(__file__)


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


# Longer ones are as good as this one.
_LONGEST = timedelta(days=36_500)


def of_group(timeout, where):
    """The timeout of a group, or None. ValueError for one that is over before anything begins."""
    if timeout is not None and limit(timeout, where) <= timedelta(0):
        raise ValueError(f"{where}: timeout: expected a timedelta above 0, got {timeout}")
    return timeout


def span(timeout, where):
    """A timeout that is given as a timedelta or as seconds, as a timedelta. ValueError for what is negative
    or no number."""
    expect(timeout, timedelta | float | int, where, "timeout", "a timedelta or seconds")
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
    if not seconds >= 0:
        raise ValueError(f"{where}: timeout: expected at least 0 seconds, got {timeout}")
    if seconds >= _LONGEST.total_seconds():
        return _LONGEST
    return timeout if isinstance(timeout, timedelta) else timedelta(seconds=timeout)


def sequence(value, where, argument, what):
    """What can be listed, and is no text, as a list."""
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        raise TypeError(f"{where}: {argument}: expected {what}, got {type(value).__name__}")
    return list(value)


# --- of whole calls -----------------------------------------------------------------------------

# What is expected, and of what types it is, by the names of arguments; "list of": of its elements.
_KINDS = {
    "a Tensor": (Tensor, "tensor input output input_tensor output_tensor"),
    "a Tensor or None": (Tensor | None, "gather_tensor"),
    "a list of Tensors": (
        Tensor,
        "tensors tensor_list input_list input_tensor_list output_tensor_list gather_list scatter_list",
    ),
    "a ReduceOp": (ReduceOp, "op"),
    "a ProcessGroup or None": (ProcessGroup | int | None, "group"),
    "a Store or None": (Store | None, "store"),
    "a timedelta or None": (timedelta | None, "timeout"),
    "a str": (str, "group_name"),
    "a str or None": (str | None, "init_method group_desc"),
    "an int": (int, "tag rank world_size"),
    "an int or None": (int | None, "src dst group_src group_dst"),
}
_EXPECTED = {name: (what, kind) for what, (kind, names) in _KINDS.items() for name in names.split()}


def _is_whole(value):
    return hasattr(type(value), "__index__")


def _wrong(where, argument, value):
    """The TypeError of an argument; None of one that is right, or of which nothing is known."""
    what, kind = _EXPECTED.get(argument, (None, object))
    if what is None or (what.startswith("an int") and _is_whole(value)):
        return None
    if "list of" not in what:
        wrong = None if isinstance(value, kind) else ""
    elif isinstance(value, list | tuple):
        wrong = next((f" {i}" for i, v in enumerate(value) if not isinstance(v, kind)), None)
    else:
        optional = value is None and argument in ("gather_list", "scatter_list")
        wrong = None if optional else ""
    if wrong is None:
        return None
    what, value = ("a Tensor", value[int(wrong)]) if wrong else (what, value)
    element = f": element{wrong}" if wrong else ""
    return TypeError(f"{where}: {argument}{element}: expected {what}, got {type(value).__name__}")


def _wrong_in(frame, where):
    code = frame.f_code
    for argument in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if argument in frame.f_locals:
            error = _wrong(where, argument, frame.f_locals[argument])
            if error is not None:
                return error
    return None


def _called():
    """The frame of the function of this package that the program called."""
    outer = frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        outer, frame = frame, frame.f_back
    return outer


def _name_of(frame):
    return f"{frame.f_code.co_qualname.removesuffix('.__init__')}()"


def called_from():
    """Where the program called a function of this package: "train.py:12"."""
    frame = _called().f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def called():
    """The function of this package that the program called, as errors name it: "all_reduce()"."""
    return _name_of(_called())


def check_call():
    """TypeError where the caller's own arguments are of a wrong type."""
    frame = sys._getframe(1)
    error = _wrong_in(frame, _name_of(frame))
    if error is not None:
        raise error


def wrong_call():
    """The TypeError of the function that the program called, one of whose arguments is wrong."""
    frame = _called()
    return _wrong_in(frame, _name_of(frame)) or TypeError(
        f"{_name_of(frame)}: an argument is of a wrong type"
    )


def _named(error, name):
    """The same one, with its traceback and notes, where it names no operator: a backend raised it."""
    said = str(error)
    text = re.sub(r"^\w+\(\)", name, said)
    return error if text == said else type(error)(text)


def _empty_in(frame, where):
    """The ValueError of a list without tensors, by which no kernel could be chosen."""
    for argument, (what, _) in _EXPECTED.items():
        value = frame.f_locals.get(argument)
        if "list of" in what and isinstance(value, list | tuple) and not value:
            return ValueError(f"{where}: {argument}: expected {what}, got an empty one")
    return None


def explained(error):
    """An error of an operator's call, in words of the function that the program called."""
    if type(error) not in (TypeError, ValueError, RuntimeError):
        return error
    frame, wrong = _called(), None
    name = _name_of(frame)
    if type(error) is TypeError:
        wrong = _wrong_in(frame, name)
    elif "no tensor among its arguments" in str(error):
        wrong = _empty_in(frame, name)
    return wrong or _named(error, name)


def naming(function, name=None):
    """The function, whose errors name it where they name an operator."""
    name = name or f"{function.__name__}()"

    @functools.wraps(function)
    def call(*arguments, **options):
        try:
            return function(*arguments, **options)
        except (TypeError, ValueError, RuntimeError) as error:
            if type(error) not in (TypeError, ValueError, RuntimeError):
                raise
            raise _named(error, name) from None

    return call
