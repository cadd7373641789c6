"""A module's tensors and submodules by dotted names, as programs of functions of modules change them."""

from opweave._C import Tensor

MISSING = object()  # in the place of a tensor that there was not


def _holder(module, name):
    """The dictionary that has a name, or will have it."""
    return next((d for d in (module._parameters, module._buffers) if name in d), module.__dict__)


def _check_tensor(value):
    if value is not None and value is not MISSING and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")


def set_tensor(module, name, tensor):
    """Puts a tensor into the place of a module's parameter, buffer or attribute."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_tensor(module, name, tensor, allow_missing=False):
    """The same; returns what was there.

    Raises:
        AttributeError: there is none, unless `allow_missing`.
        TypeError: something else than a tensor or None.
    """
    _check_tensor(tensor)
    if not name or "." in name:
        raise KeyError(f"the name of a tensor cannot be {name!r}")
    place = _holder(module, name)
    if name not in place and not allow_missing:
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    before = place.pop(name, MISSING) if tensor is MISSING else place.get(name, MISSING)
    if tensor is not MISSING:
        place[name] = tensor
    return before


def swap_submodule(module, name, submodule):
    """Puts a module into the place of another one, which it returns.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before, module._modules[name] = module._modules[name], submodule
    return before


class NamedMemberAccessor:
    """Tensors and submodules of a module, by names such as `layer1.conv.weight`."""

    def __init__(self, module):
        self.module = module
        self.memo = {}  # submodules that were asked for

    def get_submodule(self, name):
        """A submodule; of an empty name the module."""
        if name not in self.memo:
            self.memo[name] = self.module.get_submodule(name)
        return self.memo[name]

    def _at(self, name):
        prefix, _, last = name.rpartition(".")
        return self.get_submodule(prefix), last

    def swap_submodule(self, path, value):
        """Replaces a submodule, which is returned."""
        self.memo.clear()
        return swap_submodule(*self._at(path), value)

    def get_tensor(self, name):
        """A parameter, a buffer, or an attribute that is a tensor or None."""
        module, last = self._at(name)
        if not hasattr(module, last):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        _check_tensor(getattr(module, last))
        return getattr(module, last)

    def set_tensor(self, name, value):
        """Replaces a tensor, or adds it."""
        set_tensor(*self._at(name), value)

    def del_tensor(self, name):
        """Removes a tensor."""
        swap_tensor(*self._at(name), MISSING)

    def swap_tensor(self, name, value, allow_missing=False):
        """Replaces a tensor, which is returned."""
        return swap_tensor(*self._at(name), value, allow_missing)

    def get_tensors(self, names):
        """Those of several names."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names, values):
        """Replaces several."""
        self.swap_tensors(names, values, allow_missing=True)

    def set_tensors_dict(self, named_tensors):
        """Replaces several, by name."""
        self.set_tensors(named_tensors, named_tensors.values())

    def del_tensors(self, names):
        """Removes several."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names, values, allow_missing=False):
        """Replaces several, which are returned."""
        names, values = list(names), list(values)
        if len(names) != len(values):
            raise AssertionError(f"{len(names)} names of {len(values)} tensors")
        return [self.swap_tensor(n, v, allow_missing) for n, v in zip(names, values)]

    def swap_tensors_dict(self, named_tensors, allow_missing=False):
        """(those that were there, by name, the names that were not); if anything fails all is as before.

        Raises:
            RuntimeError: some were not there, unless `allow_missing`.
        """
        before = {}
        try:
            for name, value in named_tensors.items():
                before[name] = self.swap_tensor(name, value, allow_missing=True)
            missing = [name for name, value in before.items() if value is MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, value in before.items():
                self.swap_tensor(name, value, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys):
        """(the names of tensors that are none of them, those of no tensors)"""
        own, keys = {name for name, _ in self.named_tensors(False)}, set(keys)
        return sorted(own - keys), sorted(keys - own)

    def named_parameters(self, remove_duplicate=True):
        """The module's."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate=True):
        """The module's."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate=True):
        """Both."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate=True):
        """The module's."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
