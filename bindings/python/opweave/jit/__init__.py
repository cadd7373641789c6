"""torch.jit for programs that use it: functions and modules stay what they are, and Python runs them.

That is what PyTorch itself does under PYTORCH_JIT=0. Decorators give back what they are given; `script` and
`trace` say once that nothing is compiled. What needs a compiled program (files of them, their graphs) raises.
"""

import builtins
import collections
import contextlib
import functools
import typing
import warnings

from opweave import _interop
from opweave.futures import Future
from opweave.nn import Module

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Final",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "ScriptWarning",
    "TracerWarning",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

Final = typing.Final


class Error(RuntimeError):
    """What compiled programs raise: none is ever raised here."""


class ScriptWarning(Warning):
    """Warnings of the compiler; for programs that filter them."""


class TracerWarning(Warning):
    """Warnings of the tracer; for programs that filter them."""

    @staticmethod
    def ignore_lib_warnings():
        """There are none."""


class ScriptFunction:
    """The type of compiled functions, of which there are none."""

    def __init__(self, *args, **kwargs):
        raise TypeError("opweave.jit compiles nothing: a function stays a function of Python")


class ScriptModule(Module):
    """A base of modules of old programs, whose methods run as Python; no other module is one."""


class CompilationUnit:
    """Functions compiled from text: refused."""

    def __init__(self, lang=None, _frames_up=0):
        if lang is not None:
            raise NotImplementedError(
                "opweave.jit.CompilationUnit(): text of TorchScript is not compiled; write a function"
            )


@functools.cache  # a process is told once for each
def _warn(name, gives):
    warnings.warn(
        f"opweave.jit.{name}() gives the {gives} back unchanged: nothing is compiled, Python runs it.",
        stacklevel=3,
    )


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Gives a function, a class or a module back, and says so once."""
    _warn("script", "function or module")
    return obj


def trace(func, example_inputs=None, *args, **kwargs):
    """Gives a function or module back; it is not run with the example inputs. Says so once."""
    _warn("trace", "function or module")
    return func


def trace_module(mod, inputs, *args, **kwargs):
    """Gives a module back, and says so once."""
    _warn("trace_module", "module")
    return mod


def script_if_tracing(fn):
    """Decorator: gives the function back."""
    return fn


_script_if_tracing = script_if_tracing


def script_method(fn):
    """Decorator of methods: gives the method back."""
    return fn


def export(fn):
    """Decorator of methods that are to be compiled as well: gives the method back."""
    return fn


def unused(fn):
    """Decorator of methods that are not to be compiled: gives the method back."""
    return fn


def ignore(drop=False, **kwargs):
    """Decorator of functions that are left to Python, with or without arguments: gives the function back.

    Raises:
        RuntimeError: `drop` is no bool.
    """
    if callable(drop):
        return drop
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(
            f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}"
        )
    return lambda fn: fn


def interface(obj):
    """Decorator of classes that are interfaces: gives the class back.

    Raises:
        RuntimeError: not a class.
    """
    if not builtins.isinstance(obj, type):
        raise RuntimeError("interface must be applied to a class")
    return obj


def _overload(func):
    """Declares one of several signatures; the definition that follows replaces it."""
    return func


_overload_method = _overload


def annotate(the_type, the_value):
    """The value: types are said for readers."""
    return the_value


class Attribute(collections.namedtuple("Attribute", ["value", "type"])):
    """A value and its type; as PyTorch without compilation, the value itself is what modules keep."""

    __slots__ = ()

    def __new__(cls, value, type):
        """The value itself."""
        return value


def is_scripting():
    """False: no function is compiled."""
    return False


def is_tracing():
    """False: no call is recorded."""
    return False


def isinstance(obj, target_type):
    """Whether an object is of a type, also one such as list[int], dict[str, Tensor], Optional[int]."""
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, one) for one in target_type)
    origin, args = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        return obj is None if target_type is None else builtins.isinstance(obj, target_type)
    if not builtins.isinstance(origin, type) or origin.__name__ == "UnionType":
        return any(isinstance(obj, one) for one in args)
    return builtins.isinstance(obj, origin) and _items_are(obj, origin, args)


def _items_are(obj, origin, args):
    if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        return len(obj) == len(args) and all(map(isinstance, obj, args))
    if origin is dict:
        return all(isinstance(k, args[0]) and isinstance(v, args[1]) for k, v in obj.items())
    return all(isinstance(item, args[0]) for item in obj)


def fork(func, *args, **kwargs):
    """A Future of what the function returns or raises: called at once, or by one of the threads of
    set_num_interop_threads(), with the caller's grad mode and autocast.
    """
    return _interop.begin(func, args, kwargs)


def wait(future):
    """The result of fork()."""
    return future.wait()


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """Gives a module back: its parameters are attributes still.

    Raises:
        RuntimeError: the module is in training mode, or no module.
    """
    if not builtins.isinstance(mod, Module):
        raise RuntimeError(f"opweave.jit.freeze() expected a module, got {type(mod).__name__}")
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your "
            "module before freezing."
        )
    return mod


def optimize_for_inference(mod, other_methods=None):
    """Gives a module in eval mode back."""
    return freeze(mod)


def _refused(name, instead):
    return NotImplementedError(
        f"opweave.jit.{name}(): files of TorchScript are neither written nor read; {instead}"
    )


def save(m, f, _extra_files=None):
    """Refused: nothing is compiled.

    Raises:
        NotImplementedError: always.
    """
    raise _refused("save", "opweave.save(module.state_dict(), path) keeps what was learned")


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """Refused: such files hold programs.

    Raises:
        NotImplementedError: always.
    """
    raise _refused(
        "load", "save module.state_dict() with PyTorch, and load it into a module written in Python"
    )


def set_fusion_strategy(strategy):
    """How compiled functions are specialised: they are none; gives the strategy back."""
    return strategy


def enable_onednn_fusion(enabled):
    """Raises where fusion is asked for, which is not there.

    Raises:
        NotImplementedError: `enabled` is true.
    """
    if enabled:
        raise NotImplementedError(
            "opweave.jit.enable_onednn_fusion(True): there are no graphs to fuse"
        )


def onednn_fusion_enabled():
    """False: there are no graphs to fuse."""
    return False


@contextlib.contextmanager
def optimized_execution(should_optimize):
    """A context in which compiled functions are, or are not, optimised: there are none."""
    yield


@contextlib.contextmanager
def fuser(name):
    """A context that names who fuses compiled functions: there are none."""
    yield


class strict_fusion(contextlib.nullcontext):  # noqa: N801 - PyTorch's name
    """A context of compiled functions: there are none."""
