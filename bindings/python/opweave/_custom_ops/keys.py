"""Dispatch keys of kernels that programs register: their names, and sets of them."""

from opweave import _C, _targets

# PyTorch's names of keys that are called otherwise here.
_NAMES = {"FuncTorchBatched": "Batched"}
# Of PyTorch's keys for one kind of device each; here one is for all.
_FOR_DEVICES = ("Autograd", "Autocast")
# What stands for every target.
EVERYWHERE = ("", "CompositeExplicitAutograd", "CompositeImplicitAutograd")


def is_target(name):
    """Whether tensors can be on that kind of device: "cuda" of PyTorch's programs, installed or not, too."""
    if not _C._has_device_type(name) and _targets.is_target(name):
        _targets.load_device_type(name)
    return _C._has_device_type(name)


def key_name(name):
    """A key by the name that PyTorch's programs use: "meta" of "Meta", "Autograd" of "AutogradCPU"."""
    target = name.lower()
    if is_target(target):
        return target
    for key in _FOR_DEVICES:
        if name.startswith(key) and is_target(name.removeprefix(key).lower()):
            return key
    return _NAMES.get(name, name)


class DispatchKeySet:
    """The keys that a call was dispatched on: what a kernel gets that is registered `with_keyset`.

    Args:
        keys: the name of a key, or the bits of a set.
    """

    __slots__ = ("_bits",)

    def __init__(self, keys=0):
        self._bits = keys if isinstance(keys, int) else _bit(keys)

    @classmethod
    def from_raw_repr(cls, bits):
        """The set of these bits."""
        return cls(bits)

    def raw_repr(self):
        """The bits."""
        return self._bits

    def has(self, key):
        """Whether a key is in it."""
        return bool(self._bits & _bit(key))

    def add(self, key):
        """The set with one more key."""
        return DispatchKeySet(self._bits | _bit(key))

    def remove(self, key):
        """The set without a key."""
        return DispatchKeySet(self._bits & ~_bit(key))

    def highestPriorityTypeId(self):  # noqa: N802 - PyTorch's name
        """The name of the key whose kernel is called."""
        return max(self._names(), key=_bit, default="Undefined")

    def _names(self):
        return [name for name, bit in _C._dispatch_keys().items() if bit & self._bits]

    def __or__(self, other):
        return DispatchKeySet(self._bits | other._bits)

    def __and__(self, other):
        return DispatchKeySet(self._bits & other._bits)

    def __sub__(self, other):
        return DispatchKeySet(self._bits & ~other._bits)

    def __eq__(self, other):
        return isinstance(other, DispatchKeySet) and self._bits == other._bits

    def __hash__(self):
        return hash(self._bits)

    def __repr__(self):
        names = sorted(self._names(), key=_bit, reverse=True)
        return f"DispatchKeySet({', '.join(names)})"


def _bit(key):
    known = _C._dispatch_keys()
    name = key_name(str(key))
    if name not in known:
        raise RuntimeError(f"could not parse dispatch key: {key}; known: {', '.join(known)}")
    return known[name]


def fallthrough_kernel():
    """Given to Library.impl in the place of a kernel: calls pass the key by, and go to the next one."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")
