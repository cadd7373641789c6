"""Containers of modules: a chain of calls, a list, a dictionary."""

import operator
from collections import OrderedDict
from collections.abc import Iterable

from opweave.nn.modules._layers.parameter_containers import ParameterDict, ParameterList
from opweave.nn.modules.module import Module
from opweave.nn.modules.utils import checked_pairs

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class _Members(Module):
    """What containers of modules share: members are submodules, in order, and None may be one."""

    def __len__(self):
        return len(self._modules)

    def _position(self, index, end=False):
        """A place from 0 on; at the `end` there is one more. IndexError where there is none."""
        index, count = operator.index(index), len(self) + end
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range")
        return index % count if count else index

    def _replace(self, modules):
        """Makes these the members, under the names "0", "1", …"""
        modules = list(modules)
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __dir__(self):
        """Without the numbers of members, which no program writes after a dot."""
        return [name for name in super().__dir__() if not name.isdigit()]


class Sequential(_Members):
    """Calls its modules one after another."""

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _key(self, index):
        return list(self._modules)[self._position(index)]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, name)
        self._replace(self._modules.values())

    def __iter__(self):
        return iter(self._modules.values())

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return type(self)(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(other)

    @staticmethod
    def _check_times(times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {Sequential}")

    def __mul__(self, other):
        self._check_times(other)
        return type(self)(*(module for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_times(other)
        return self.extend(list(self) * (other - 1))

    def append(self, module):
        """Adds a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, sequential):
        """Adds modules at the end; returns the container."""
        for module in list(sequential):
            self.append(module)
        return self

    def insert(self, index, module):
        """Puts a module before that of an index; returns the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._replace(modules)
        return self

    def pop(self, key):
        """Takes a module out; returns it."""
        module = self[key]
        del self[key]
        return module

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Members):
    """A list of modules."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[str(self._position(index))]

    def __setitem__(self, index, module):
        setattr(self, str(self._position(index)), module)

    def __delitem__(self, index):
        modules = list(self)
        del modules[index if isinstance(index, slice) else self._position(index)]
        self._replace(modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return type(self)([*self, *other])

    def append(self, module):
        """Adds a module at the end; returns the list."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Adds modules at the end; returns the list.

        Raises:
            TypeError: `modules` cannot be gone through.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index, module):
        """Puts a module before that of an index."""
        modules = list(self)
        modules.insert(index, module)
        self._replace(modules)

    def pop(self, key):
        """Takes a module out, or those of a slice; returns what was there."""
        module = self[key]
        del self[key]
        return module

    def __repr__(self):
        """As Module's, with neighbours that print the same in one line: "(0-2): 3 x ReLU()"."""
        texts = [repr(module) for module in self]
        if not texts:
            return f"{self._get_name()}()"
        lines, first = [], 0
        for end in range(1, len(texts) + 1):
            if end < len(texts) and texts[end] == texts[first]:
                continue
            many = end - first > 1
            where = f"({first}-{end - 1}): {end - first} x " if many else f"({first}): "
            lines.append((where + texts[first]).replace("\n", "\n  "))
            first = end
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(_Members):
    """A dictionary of modules, by names."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Takes all modules out."""
        self._modules.clear()

    def pop(self, key):
        """Takes a module out; returns it."""
        return self._modules.pop(key)

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """Pairs of name and module."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Adds modules, or puts them in the place of those of the same name.

        Args:
            modules: a dictionary, or pairs of name and module.

        Raises:
            TypeError, ValueError: neither.
        """
        for key, module in checked_pairs(modules, "ModuleDict"):
            self[key] = module
