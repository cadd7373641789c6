"""Containers of parameters, and of what else is given: tensors become parameters, anything else stays."""

import operator
from collections.abc import Iterable, Mapping

from opweave._C import Tensor
from opweave.nn.modules.module import Module
from opweave.nn.modules.utils import checked_pairs
from opweave.nn.parameter import Parameter


def _kept(value):
    is_plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_plain else value


def _line(key, value, kind):
    """One member as it is printed; `kind` gives the type of a tensor's elements."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.shape))
    where = "" if value.is_cpu else f" ({value.device})"
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {name} containing: [{kind(value)} of size {size}{where}]"


class ParameterList(Module):
    """A list of parameters."""

    __module__ = "opweave.nn.modules.container"  # where files say it is

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _key(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._key(index))

    def __setitem__(self, index, value):
        setattr(self, self._key(index), _kept(value))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([getattr(self, str(i)) for i in range(len(self))])

    def __iadd__(self, values):
        return self.extend(values)

    def __dir__(self):
        """Without the numbers of members."""
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value):
        """Adds a parameter, or anything, at the end; returns the list."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values):
        """Adds what `values` has at the end; returns the list.

        Raises:
            TypeError: `values` cannot be gone through, or is a tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self):
        """One line for each member."""
        return "\n".join(_line(i, v, lambda t: t.dtype) for i, v in enumerate(self))


class ParameterDict(Module):
    """A dictionary of parameters, by names."""

    __module__ = "opweave.nn.modules.container"  # where files say it is

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _check(key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')."
            )
        return key

    def __getitem__(self, key):
        return getattr(self, self._check(key))

    def __setitem__(self, key, value):
        self._keys[self._check(key)] = None
        setattr(self, key, _kept(value))

    def __delitem__(self, key):
        del self._keys[self._check(key)]
        delattr(self, key)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def __or__(self, other):
        copied = self.copy()
        copied.update(other)
        return copied

    def __ror__(self, other):
        copied = other.copy()
        copied.update(self)
        return copied

    def __ior__(self, other):
        self.update(other)
        return self

    def copy(self):
        """Another dictionary of the same parameters."""
        return type(self)(list(self.items()))

    def setdefault(self, key, default=None):
        """What is there, or what was put there now."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Takes all out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Takes one out; returns it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Takes the last one out; returns its name and it."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key, default=None):
        """What is there, or the default."""
        return getattr(self, key) if key in self._keys else default

    def fromkeys(self, keys, default=None):
        """Another dictionary with these names, and the same under each."""
        return type(self)([(key, default) for key in keys])

    def keys(self):
        """The names."""
        return self._keys.keys()

    def items(self):
        """Pairs of name and parameter."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Adds parameters, or puts them in the place of those of the same name.

        Args:
            parameters: a dictionary, or pairs of name and parameter.

        Raises:
            TypeError, ValueError: neither.
        """
        if isinstance(parameters, ParameterDict):
            parameters = list(parameters.items())
        elif isinstance(parameters, Mapping) and not hasattr(parameters, "move_to_end"):
            parameters = sorted(parameters.items())  # as PyTorch, unless the order is meant
        for key, value in checked_pairs(parameters, "ParameterDict"):
            self[key] = value

    def extra_repr(self):
        """One line for each member."""
        return "\n".join(_line(k, v, lambda t: t.type()) for k, v in self.items())
