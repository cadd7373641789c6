"""The names in files, which are PyTorch's, and the objects of ours that they mean."""

import collections
import functools
import importlib
import sys

from opweave import _C, storage
from opweave.nn.parameter import Buffer, Parameter
from opweave.serialization import _rebuild

_REBUILDERS = {
    "torch._utils": [
        "_rebuild_tensor",
        "_rebuild_tensor_v2",
        "_rebuild_tensor_v3",
        "_rebuild_parameter",
        "_rebuild_parameter_with_state",
        "_rebuild_meta_tensor_no_storage",
        "_rebuild_device_tensor_from_cpu_tensor",
    ],
    "torch._tensor": ["_rebuild_from_type_v2"],
    "torch.serialization": ["_get_layout"],
}


@functools.cache
def rebuilders():
    """The functions that make tensors, by their names in files: {(module, name): function}."""
    return {(m, n): getattr(_rebuild, n) for m, names in _REBUILDERS.items() for n in names}


@functools.cache
def classes():
    """The classes of tensors and what describes them, by their names in files."""
    return {
        ("torch", "Size"): _C.Size,
        ("torch", "device"): _C.device,
        ("torch", "Tensor"): _tensor_class(),
        ("torch.nn.parameter", "Parameter"): Parameter,
        ("torch.nn.parameter", "Buffer"): Buffer,
        ("collections", "OrderedDict"): collections.OrderedDict,
    }


@functools.cache
def constants():
    """What is named and neither called nor made: dtypes and the classes of storages."""
    named = {("torch", str(d).rpartition(".")[2]): d for d in _dtypes()}
    named |= {("torch", c.__name__): c for c in storage._classes.values()}
    named |= {("torch.cuda", c.__name__): c for c in storage._classes.values()}
    return (
        named
        | _tensor_types()
        | {
            ("torch.storage", "UntypedStorage"): storage.UntypedStorage,
            ("torch.storage", "TypedStorage"): storage.TypedStorage,
            ("torch", "UntypedStorage"): storage.UntypedStorage,
        }
    )


# Of dtypes that are in PyTorch's list of what weights are made of.
_OF_TYPES = ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")


def _tensor_types():
    """FloatTensor and its kin, on the host and on CUDA."""
    from opweave import _targets, _tensor_types

    homes = {"torch": _tensor_types, "torch.cuda": _targets.module("cuda")}
    return {
        (m, f"{n}Tensor"): getattr(home, f"{n}Tensor")
        for m, home in homes.items()
        for n in _OF_TYPES
    }


def _tensor_class():
    from opweave._C import Tensor

    return Tensor


def _dtypes():
    return set(_C._dtypes)


@functools.cache
def own():
    """All names in files that have one meaning."""
    return rebuilders() | classes() | constants()


@functools.cache
def _names_of_own():
    names = {}
    for name, value in own().items():
        names.setdefault((getattr(value, "__module__", None), _qualified_name(value)), name)
    return names


def _qualified_name(value):
    return getattr(value, "__qualname__", None) or str(value).rpartition(".")[2]


def to_file(module, name):
    """The name in a file of an object that pickle has found under `module` and `name`.

    An object of ours is called as in PyTorch. Its modules are not everywhere divided as ours; what
    programs import a class from, as `torch.nn`, is the same in both.
    """
    if module.partition(".")[0] != "opweave":
        return module, name
    known = _names_of_own().get((module, name))
    return known or ("torch" + _public_module(module, name)[len("opweave") :], name)


def _public_module(module, name):
    value = _attribute(module, name)
    parts = module.split(".")
    for end in range(1, len(parts)):
        shorter = ".".join(parts[:end])
        if shorter in sys.modules and vars(sys.modules[shorter]).get(name) is value:
            return shorter
    return module


def _attribute(module, name):
    """What a dotted name means in a module; None if there is nothing of this name."""
    value = sys.modules.get(module)
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


# What PyTorch's functions such as `torch.relu` are found in.
_CLASS_OF_FUNCTIONS = ("torch._C", "_VariableFunctionsClass")


def _functions():
    from opweave import _VF

    return _VF


def from_file(module, name):
    """The object of ours that a name in a file means, or None if it is somebody else's. For files
    that are trusted.

    Raises:
        AttributeError: PyTorch has it, and we have not.
    """
    if (module, name) in own():
        return own()[module, name]
    if (module, name) == _CLASS_OF_FUNCTIONS:
        return _functions()
    if module.partition(".")[0] == "torch":
        return _find_own("opweave" + module[len("torch") :], name)
    return None


def _find_own(module, name):
    """A class of ours that PyTorch may keep in a deeper module than we do."""
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        shorter = ".".join(parts[:end])
        try:
            importlib.import_module(shorter)
        except ModuleNotFoundError:
            continue
        value = _attribute(shorter, name)
        if value is not None:
            return value
    raise AttributeError(
        f"the file needs {module.replace('opweave', 'torch', 1)}.{name}, which Opweave lacks"
    )
