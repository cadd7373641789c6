"""Containers of modules and parameters."""

import operator
from collections import OrderedDict

from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter


class _Indexed(Module):
    """Submodules (or parameters) numbered from 0."""

    _registry = "_modules"

    def _members(self):
        return getattr(self, self._registry)

    def _key(self, index):
        index = operator.index(index)
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range")
        return str(index % n) if n else str(index)

    def __len__(self):
        return len(self._members())

    def __iter__(self):
        return iter(self._members().values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._members()[self._key(index)]

    def __setitem__(self, index, value):
        setattr(self, self._key(index), value)

    def __delitem__(self, index):
        kept = list(self)
        del kept[index]
        self._members().clear()
        for i, value in enumerate(kept):
            setattr(self, str(i), value)

    def append(self, value):
        setattr(self, str(len(self)), value)
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def insert(self, index, value):
        kept = list(self)
        kept.insert(index, value)
        self._members().clear()
        self.extend(kept)

    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value


class Sequential(_Indexed):
    """Calls its modules one after another."""

    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], OrderedDict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(modules):
                self.add_module(str(i), module)

    def _key(self, index):
        keys = list(self._modules)
        index = operator.index(index)
        if not -len(keys) <= index < len(keys):
            raise IndexError(f"index {index} is out of range")
        return keys[index]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return super().__getitem__(index)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Indexed):
    """A list of modules."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or ())

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


class ParameterList(_Indexed):
    """A list of parameters."""

    _registry = "_parameters"

    def __init__(self, values=None):
        super().__init__()
        self.extend(values or ())

    def append(self, value):
        return super().append(value if isinstance(value, Parameter) else Parameter(value))


class _Named(Module):
    """Submodules (or parameters) by name."""

    _registry = "_modules"

    def __init__(self, items=None):
        super().__init__()
        if items is not None:
            self.update(items)

    def _members(self):
        return getattr(self, self._registry)

    def __getitem__(self, key):
        return self._members()[key]

    def __setitem__(self, key, value):
        setattr(self, key, value)

    def __delitem__(self, key):
        del self._members()[key]

    def __len__(self):
        return len(self._members())

    def __iter__(self):
        return iter(self._members())

    def __contains__(self, key):
        return key in self._members()

    def keys(self):
        return self._members().keys()

    def values(self):
        return self._members().values()

    def items(self):
        return self._members().items()

    def clear(self):
        self._members().clear()

    def pop(self, key):
        return self._members().pop(key)

    def update(self, items):
        for key, value in items.items() if hasattr(items, "items") else items:
            self[key] = value


class ModuleDict(_Named):
    """A dictionary of modules."""


class ParameterDict(_Named):
    """A dictionary of parameters."""

    _registry = "_parameters"

    def __setitem__(self, key, value):
        super().__setitem__(key, value if isinstance(value, Parameter) else Parameter(value))
