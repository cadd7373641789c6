"""What copies of PyTorch's functions take from its compiler's module: names of types, and decorators that
leave functions and classes what they are."""

import functools
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: F401, UP035

from opweave.jit import (  # noqa: F401 - programs import them from here
    _overload,
    _overload_method,
    export,
    ignore,
    is_scripting,
    unused,
)
from opweave.jit.annotations import (  # noqa: F401
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
)

boolean_dispatched = {}


def boolean_dispatch(
    arg_name, arg_index, default, if_true, if_false, module_name=None, func_name=None
):
    """The function that calls one of two others, by what an argument says.

    Args:
        arg_index: which argument of those without a name it is.
        default: where it is not given.
    """

    @functools.wraps(if_false if if_false.__doc__ else if_true)
    def chosen(*args, **kwargs):
        says = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if says else if_false)(*args, **kwargs)

    if module_name is not None:
        chosen.__module__ = module_name
    if func_name is not None:
        chosen.__name__ = func_name
    boolean_dispatched[chosen] = {
        "if_true": if_true,
        "if_false": if_false,
        "index": arg_index,
        "default": default,
        "arg_name": arg_name,
    }
    return chosen


def _as_it_is(fn):
    """A decorator of what is compiled in PyTorch."""
    return fn


weak_module = weak_script = weak_script_method = _copy_to_script_wrapper = _as_it_is
