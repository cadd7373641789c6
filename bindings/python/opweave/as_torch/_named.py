"""Names of PyTorch's that can be imported and not be used: what named_only.txt lists.

Libraries import classes only to ask `isinstance(x, DTensor)`, which is False here for every x. So each name
is a class without instances: it can be asked for, annotated with and derived from, and raises when called.
"""

import functools
import importlib
import importlib.machinery
import pathlib
import types

from opweave.as_torch import _lacking


@functools.cache
def _listed():
    """Private names by the module."""
    text = (pathlib.Path(__file__).parent / "named_only.txt").read_text()
    lines = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    return {module: frozenset(names.split()) for module, _, names in lines}


class _NameOnly(type):
    """Classes without instances, in the place of one of PyTorch's classes or functions."""

    def __call__(cls, *args, **options):
        name = f"{cls.__module__}.{cls.__qualname__}"
        base = next(c for c in cls.__mro__ if c.__dict__.get("_of_pytorch"))
        _lacking.ask(base.__module__, base.__qualname__)
        whose = "" if base is cls else f" (it derives from {base.__module__}.{base.__qualname__})"
        raise NotImplementedError(
            f"{name}{whose}: PyTorch has it, Opweave lacks it; only its name is there"
        )

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        owner = f"{cls.__module__}.{cls.__qualname__}"
        raise AttributeError(
            f"{owner}.{name}: PyTorch has {owner}, Opweave lacks it; only its name is there"
        )


def add(module, owner, name):
    """Makes the class for a name, puts it into a module, and returns it.

    Args:
        owner: what programs call the module.
    """
    facts = {"__module__": owner, "_of_pytorch": True, "_is_name_only": True}
    made = _NameOnly(name, (), facts)
    setattr(module, name, made)
    return made


_OPERATORS = "torch.ops.aten."


def add_operators(namespace):
    """Puts operators that can only be named into torch.ops.aten: lines `torch.ops.aten.NAME: OVERLOAD…`."""
    for listed, overloads in _listed().items():
        if listed.startswith(_OPERATORS):
            packet = add(namespace, _OPERATORS[:-1], listed.removeprefix(_OPERATORS))
            for overload in overloads:
                add(packet, listed, overload)


class _Module(types.ModuleType):
    """A module of such classes, which are made when they are asked for."""

    __path__ = []

    def __getattr__(self, name):
        if (found := _lacking.same_elsewhere(self.__name__, name)) is not None:
            return found
        if _lacking.is_module_of(self.__name__, name):
            return importlib.import_module(f"{self.__name__}.{name}")
        if name in _names(self.__name__):
            return add(self, self.__name__, name)
        _lacking.refuse(self, self.__name__, name)

    def __dir__(self):
        """What can be asked for."""
        return sorted(_names(self.__name__))


def _names(module):
    return _lacking.pytorch_names().get(module, frozenset()) | _listed().get(module, frozenset())


def _named_only(module, owner, name, imported):
    # PyTorch has what is right below `torch` without an import; what is below another public module has to be
    # imported, so that hasattr() says no before.
    full = f"{owner}.{name}"
    if (imported and is_listed(full)) or (
        (owner == "torch" or "._" in owner) and full in _listed()
    ):
        return importlib.import_module(f"{owner}.{name}")
    return add(module, owner, name) if name in _listed().get(owner, ()) else None


_lacking.named_only = _named_only


def has(module):
    """Whether named_only.txt has names of a module."""
    return module in _listed()


def is_listed(module):
    """Whether named_only.txt has a module of PyTorch, or one above it (below `torch`) and PyTorch has it."""
    if module in _listed():
        return True
    above = (name for name in _lacking.with_those_above(module) if "." in name)
    return module in _lacking.pytorch_names() and any(name in _listed() for name in above)


class Loader:
    """Makes the module of a spec."""

    def create_module(self, spec):
        """An empty one, whose names come when they are asked for."""
        return _Module(spec.name, "Names of PyTorch's that Opweave lacks.")

    def exec_module(self, module):
        """There is nothing to run."""


def spec(name):
    """The spec of a module that is listed."""
    return importlib.machinery.ModuleSpec(name, Loader(), is_package=True)
