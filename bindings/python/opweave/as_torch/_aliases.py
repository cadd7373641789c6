"""Modules of PyTorch that hold what others of its modules have: `torch.autograd.grad_mode`,
`torch.profiler.profiler`.

Opweave has no such module; a name in one is the object that Opweave has in the other place.
pytorch_aliases.txt says which (tests/reference/record_names.py writes it).
"""

import importlib
import importlib.machinery
import sys
import types

from opweave.as_torch import _lacking


def _found(module):
    """The names of a module of PyTorch that Opweave has elsewhere."""
    return [
        n
        for n in _lacking.aliases().get(module, ())
        if _lacking.same_elsewhere(module, n) is not None
    ]


def has(module):
    """Whether Opweave has a quarter of the names of a module of PyTorch, or more, in other places."""
    if module in _lacking.modules_elsewhere():
        return True
    names = _lacking.pytorch_names().get(module)
    if not names or module not in _lacking.aliases():
        return False
    return 4 * len(_found(module)) >= len(names)


class _Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        found = _lacking.same_elsewhere(self.__name__, name)
        if found is None and f"{self.__name__}.{name}" in _lacking.modules_elsewhere():
            found = importlib.import_module(f"{self.__name__}.{name}")
        if found is None:
            _lacking.refuse(self, self.__name__, name)
        setattr(self, name, found)
        return found

    def __dir__(self):
        """What can be asked for."""
        return sorted({*vars(self), *_found(self.__name__)})


class Called(types.ModuleType):
    """A module that has the name of a function beside it, and takes its place when it is imported."""

    def __call__(self, *args, **kwargs):
        """Calls the function."""
        return self._function(*args, **kwargs)


class _CalledAlias(Called, _Module):
    pass


class Loader:
    """Makes the module of a spec."""

    def create_module(self, spec):
        """An empty one, whose names come when they are asked for."""
        parent, _, name = spec.name.rpartition(".")
        beside = _lacking.own(sys.modules[parent], name)
        kind = _CalledAlias if callable(beside) else _Module
        module = kind(spec.name, "Names that other modules have as well.")
        if kind is _CalledAlias:
            module._function = beside
        return module

    def exec_module(self, module):
        """There is nothing to run."""


def spec(name):
    """The spec of a module that `has()` says yes to."""
    return importlib.machinery.ModuleSpec(name, Loader(), is_package=True)
