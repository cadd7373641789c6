"""Taking calls over: `__torch_function__` of classes, and modes that see every call of a thread.

A call of a public function or method is given to the innermost mode of the thread, then to the classes of
its arguments that have a `__torch_function__`, subclasses first. The first that answers anything but
NotImplemented has answered; without any the function runs.
"""

import contextlib
import functools
import inspect
import re
import sys
import types as _types

from opweave import _C
from opweave._modes import TorchFunctionMode
from opweave._overridable import (
    default_nowrap_functions,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "enable_reentrant_dispatch",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]


def wrap_torch_function(dispatcher):
    """A decorator: calls of the function are asked about.

    Args:
        dispatcher: called as the function is, it returns the arguments whose classes are asked.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp):
    """Whether an object is a tensor, or its class has a `__torch_function__`."""
    return isinstance(inp, _C.TensorBase) or hasattr(type(inp), "__torch_function__")


class BaseTorchFunctionMode(TorchFunctionMode):
    """Sees calls and lets them be."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class enable_reentrant_dispatch:  # noqa: N801
    """Inside of a `__torch_function__` that nobody's classes are asked in, they are asked again."""

    def __enter__(self):
        self._before = _C._set_overrides_asked(0)

    def __exit__(self, *exception):
        _C._set_overrides_asked(self._before)


def redispatch_function(func, types, args=(), kwargs=None):
    """Calls the function without asking about the call itself; what it calls is asked about.

    Args:
        func: what a `__torch_function__` was given.
        types: the classes that it was given.
        args: the arguments.
        kwargs: the keywords.
    """
    kwargs = kwargs or {}
    if isinstance(func, _C._Overridable):
        return func.__wrapped__(*args, **kwargs)
    if not isinstance(
        func, _types.FunctionType
    ):  # written in C++: it calls nothing that is asked about
        with _C.DisableTorchFunction():
            return func(*args, **kwargs)
    _C._skip_next_question(True)
    try:
        return func(*args, **kwargs)
    finally:
        _C._skip_next_question(False)


def get_default_nowrap_functions():
    """Functions whose results stay as they are in subclasses of Tensor.

    Returns:
        set: of functions.
    """
    return default_nowrap_functions()


# --- what can be taken over -----------------------------------------------------------------------
def _namespaces():
    """Modules with public functions, those of which a function is known by last."""
    from opweave import functional, linalg
    from opweave.nn import functional as of_networks

    # The package with the names that programs see, those of libraries as well.
    return [sys.modules["opweave"], functional, of_networks, linalg]


@functools.cache
def _index():
    """{function: (namespace, name)} of all that can be taken over; sites are those written in C++."""
    from opweave._as_functions import METHODS, of_method  # which dir() does not list

    sites = set(map(id, _C._overridable_functions()))
    found = {}
    for namespace in _namespaces():
        for name in dir(namespace):
            value = getattr(namespace, name, None)
            if not name.startswith("_") and (
                id(value) in sites or isinstance(value, _C._Overridable)
            ):
                found[value] = (namespace, name)
    top = sys.modules["opweave"]
    found.update({of_method(name): (top, name) for name in METHODS})
    found.update(_index_of_tensor(sites))
    return found


def _index_of_tensor(sites):
    found = {}
    for name in dir(_C.Tensor):
        value = inspect.getattr_static(_C.Tensor, name)
        if isinstance(value, _types.GetSetDescriptorType):
            found[value.__get__] = (value, "__get__")
            if name == "requires_grad" or name == "data" or name == "grad":
                found[value.__set__] = (value, "__set__")
        elif id(value) in sites or isinstance(
            value, (_C._Overridable, _types.WrapperDescriptorType)
        ):
            found.setdefault(value, (_C.Tensor, name))
    return found


def _is_factory(function):
    """Whether no argument is a tensor: only modes see such calls."""
    signature = getattr(function, "__text_signature__", None) or function.__doc__ or ""
    names = set(re.findall(r"[(,] *(\w+)", signature.partition("\n")[0]))
    return {"device", "dtype"} <= names and not names & {"input", "self"}


def get_overridable_functions():
    """What classes can take over.

    Returns:
        dict: modules, Tensor and attributes of Tensor, each with the list of its functions.
    """
    found = {}
    for function, (namespace, _) in _index().items():
        if not _is_factory(function):
            found.setdefault(namespace, []).append(function)
    return found


def get_ignored_functions():
    """Public functions that no class can take over.

    Returns:
        set: of functions.
    """
    overridable = {id(f) for functions in get_overridable_functions().values() for f in functions}
    kinds = (_types.FunctionType, _types.BuiltinFunctionType, _C._Overridable)
    return {
        value
        for namespace in _namespaces()
        for name, value in vars(namespace).items()
        if not name.startswith("_") and isinstance(value, kinds) and id(value) not in overridable
    }


def _dummy(function):
    """A function of the same signature that returns -1."""

    def answer(*args, **kwargs):
        return -1

    with contextlib.suppress(TypeError, ValueError):
        answer.__signature__ = inspect.signature(function)
    return answer


def get_testing_overrides():
    """For each function that can be taken over one of the same signature that returns -1.

    Returns:
        dict: functions by functions.
    """
    functions = [f for found in get_overridable_functions().values() for f in found]
    return {function: _dummy(function) for function in functions}


def resolve_name(f):
    """The name of a function that a `__torch_function__` was given, with its module; None for others."""
    try:
        namespace, name = _index()[f]
    except (KeyError, TypeError):
        return None
    package = _C._printed_package()
    if namespace is _C.Tensor:
        return f"{package}.Tensor.{name}"
    if name in ("__get__", "__set__"):
        return f"{package}.Tensor.{namespace.__name__}.{name}"
    return f"{package}{namespace.__name__.removeprefix('opweave')}.{name}"


def is_tensor_method_or_property(func):
    """Whether a function is one of Tensor, or reads or writes an attribute of it."""
    found = _index().get(func)
    return found is not None and (found[0] is _C.Tensor or found[1] in ("__get__", "__set__"))


def _name_of(function):
    """The name for messages, whatever the function is."""
    name = resolve_name(function)
    return name or f"{function.__module__}.{getattr(function, '__name__', function)}"
