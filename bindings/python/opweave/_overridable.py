"""Functions of Python that modes and classes with `__torch_function__` may take over, and the guards."""

from types import FunctionType

from opweave import _C

has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic


def handle_torch_function(public_api, relevant_args, /, *args, **kwargs):
    """Asks modes and the classes of the relevant arguments what a call of `public_api` is.

    Args:
        public_api: the function that was called.
        relevant_args: the arguments whose classes are asked.
        args: all arguments of the call.
        kwargs: its keywords.

    Raises:
        TypeError: nobody answers.
    """
    return _C._ask_overrides(public_api, tuple(relevant_args), args, kwargs)


def overridable(function, qualname=None):
    """The function, whose calls opweave.overrides may answer; everything else stays as it was."""
    wrapped = _C._Overridable(function)
    wrapped.__dict__.update(
        __name__=function.__name__,
        __qualname__=qualname or function.__qualname__,
        __module__=function.__module__,
        __doc__=function.__doc__,
        __wrapped__=function,
    )
    return wrapped


def make_overridable(namespace):
    """Makes the public functions that a module defines overridable, as its last statement."""
    for name, value in list(namespace.items()):
        own = isinstance(value, FunctionType) and value.__module__ == namespace["__name__"]
        if own and not name.startswith("_"):
            namespace[name] = overridable(value)


# What Python calls itself, or what says who answers.
_OF_THE_CLASS = frozenset(
    ["__dir__", "__setstate__", "__init__", "__new__", "__torch_function__", "as_subclass"]
)


def make_methods_overridable(cls):
    """Those that a class defines in Python, also where they are functions of a module."""
    for name, value in list(vars(cls).items()):
        function = value.__wrapped__ if isinstance(value, _C._Overridable) else value
        private = name.startswith("_") and not name.endswith("__")
        if isinstance(function, FunctionType) and not private and name not in _OF_THE_CLASS:
            method = overridable(function, f"{cls.__name__}.{name}")
            method.__name__, method.__module__ = name, cls.__module__
            setattr(cls, name, method)


class _Guard:
    """Changes who is asked, for the calls of a `with` block."""

    _asked = 0

    def __enter__(self):
        self._before = _C._set_overrides_asked(max(self._asked, _C._overrides_asked()))

    def __exit__(self, *exception):
        _C._set_overrides_asked(self._before)


class DisableTorchFunctionSubclass(_Guard):
    """No class is asked; modes are."""

    __module__ = "opweave._C"
    _asked = 1


class DisableTorchFunction(_Guard):
    """Neither classes nor modes are asked."""

    __module__ = "opweave._C"
    _asked = 2


_C.DisableTorchFunctionSubclass = DisableTorchFunctionSubclass
_C.DisableTorchFunction = DisableTorchFunction


def converted(result, cls):
    """A result with its tensors as objects of a subclass; also those of tuples and lists."""
    if isinstance(result, _C.TensorBase) and not isinstance(result, cls):
        return result.as_subclass(cls)
    if isinstance(result, (tuple, list)) and not isinstance(result, _C.Size):
        return type(result)([converted(part, cls) for part in result])
    return result


def default_torch_function(cls, func, types, args, kwargs):
    """What subclasses of Tensor do unless they say otherwise: results are of the subclass.

    Returns:
        NotImplemented: an argument's class is none of which `cls` is a subclass.
    """
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        if cls is _C.Tensor or func in default_nowrap_functions():
            return result
        return converted(result, cls)


def default_nowrap_functions():
    """Those whose results stay as they are in subclasses.

    Returns:
        set: of functions.
    """
    tensor = _C.Tensor
    return {tensor._base.__get__, tensor.grad.__get__, _C.tensor}
