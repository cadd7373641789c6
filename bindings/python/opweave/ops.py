"""opweave.ops: every operator of the registry as a callable, `opweave.ops.add.Tensor(a, b)`.

`opweave.ops.aten` holds the same operators as PyTorch shows them. Operators that were defined under a
namespace are found there, as those of an operator library are under its name: `opweave.ops.mine.f`.
"""

import os
import sys
import types

from opweave import _C, _stable_libraries
from opweave._custom_ops import awaited
from opweave._ops import OpOverloadPacket, aten

__all__ = ["OpOverloadPacket", "aten", "load_library"]


class _Namespace:
    def __init__(self, prefix):
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        full_name = self._prefix + name
        overloads = _C._overload_names(full_name)
        if overloads:
            return OpOverloadPacket(full_name, overloads)
        nested = full_name + "::"
        if any(n.startswith(nested) for n in _C._operator_names()):
            return _Namespace(nested)
        left_out = _C._left_out_message(full_name)
        raise AttributeError(left_out or f"there is no operator '{full_name}'")

    def __dir__(self):
        names = (
            n.removeprefix(self._prefix) for n in _C._operator_names() if n.startswith(self._prefix)
        )
        return sorted({n.split(".")[0] for n in names if "::" not in n})


def load_library(path):
    """Loads a shared library with operators of its own.

    One for every release has an OPWEAVE_STABLE_LIBRARY (`opweave/stable/library.h`); one for the Opweave
    that it was compiled with has blocks OPWEAVE_LIBRARY (`runtime/library/library.h`).

    Raises:
        OSError: the file is none that can be loaded.
        ImportError: a block of it failed, with file, line and reason of each; or the library needs another
            Opweave, with its operators and what they miss.
    """
    _C._library_errors()  # of libraries that a program loaded otherwise, and did not ask
    _stable_libraries.load_file(os.path.realpath(path))
    awaited.defined()
    if errors := _C._library_errors().rstrip():
        raise ImportError(f"{os.fspath(path)}: operators could not be registered:\n{errors}")


class _Module(types.ModuleType, _Namespace):
    _prefix = ""
    __getattr__ = _Namespace.__getattr__
    __dir__ = _Namespace.__dir__


sys.modules[__name__].__class__ = _Module
