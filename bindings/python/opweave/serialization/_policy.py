"""What a file may have made that is read for its weights: the policy of `_C._unpickle`."""

import codecs
import collections
import functools
import pickle

from opweave import _C
from opweave._C import Tensor
from opweave.nn.parameter import Parameter
from opweave.serialization import _names, _rebuild, _safe_globals

# Classes and functions of these modules reach everything; nobody can allow them.
_BLOCKED = frozenset(
    ["sys", "os", "posix", "nt", "subprocess", "builtins", "shutil", "importlib", "runpy"]
)
_WRONG_ARGUMENTS = (TypeError, ValueError, RuntimeError, AttributeError, OverflowError, LookupError)
_KEY_PARTS = 256  # of a tuple that is a key: its hash is computed part by part, shared or not
_KEY_BITS = 512


def refuse(text):
    raise pickle.UnpicklingError(text)


def check_key(key):
    """Refuses keys whose hash would take longer than their file.

    Tuples may hold one another many times, and an int is hashed anew each time that it is a key.
    """
    left, parts = [key], 0
    while left:
        part = left.pop()
        parts += 1
        if parts > _KEY_PARTS:
            refuse(f"a key of a dict or set is a tuple of more than {_KEY_PARTS} parts")
        if isinstance(part, tuple):
            left.extend(part)
        elif isinstance(part, int) and part.bit_length() > _KEY_BITS:
            refuse(f"a key of a dict or set is an int of more than {_KEY_BITS} bits")
    try:
        hash(key)
    except TypeError as error:
        refuse(f"a key of a dict or set cannot be one: {error}")


def _ordered_dict(items=()):
    made = collections.OrderedDict()
    for key, value in _pairs(items):
        made[key] = value
    return made


def _counter(items=()):
    made = collections.Counter()
    for key, value in _pairs(items):
        made[key] = value
    return made


def _pairs(items):
    """The items of a dict, or a list of pairs, with keys that were checked."""
    if not isinstance(items, (dict, list, tuple)):
        refuse(f"a dict is to be made of {type(items).__name__}")
    for pair in items.items() if isinstance(items, dict) else items:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            refuse("a dict is to be made of something that is no list of pairs")
        check_key(pair[0])
        yield pair


def _set(items=()):
    if not isinstance(items, (list, tuple, set, frozenset)):
        refuse(f"a set is to be made of {type(items).__name__}")
    made = set()
    for item in items:
        check_key(item)
        made.add(item)
    return made


def _size(items=()):
    """Not of whatever can be iterated over: a tensor of a few bytes can be expanded for ever."""
    if not isinstance(items, (list, tuple)):
        refuse(f"a Size is to be made of {type(items).__name__}")
    return _C.Size(items)


def _encode(text, encoding):
    """Bytes, which protocol 2 writes as text. Other encodings can make much of little."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        refuse("_codecs.encode is called with something else than text and 'latin1'")
    return codecs.encode(text, "latin1")


def _bytearray(*arguments):
    if not arguments:
        return bytearray()
    if len(arguments) == 2:
        return bytearray(_encode(*arguments))
    if not isinstance(arguments[0], (bytes, bytearray)):
        refuse(f"bytearray is called with {type(arguments[0]).__name__}")
    return bytearray(arguments[0])


def _subclass(func, new_type, args, state):
    """A tensor with attributes: what it is made by and becomes must be allowed itself."""
    if not any(func is maker for maker in _names.rebuilders().values()):
        refuse("a tensor is to be made by something that makes no tensors")
    if not isinstance(new_type, type) or not issubclass(new_type, Tensor):
        refuse(f"a tensor is to become {_title(new_type)}")
    return _rebuild._rebuild_from_type_v2(func, new_type, args, state)


# What stands for these names instead of what they are elsewhere: less.
_RESTRICTED = {
    ("collections", "OrderedDict"): _ordered_dict,
    ("collections", "Counter"): _counter,
    ("builtins", "set"): _set,
    ("__builtin__", "set"): _set,
    ("builtins", "bytearray"): _bytearray,
    ("__builtin__", "bytearray"): _bytearray,
    ("builtins", "complex"): complex,
    ("__builtin__", "complex"): complex,
    ("_codecs", "encode"): _encode,
    ("torch", "Size"): _size,
    ("torch._tensor", "_rebuild_from_type_v2"): _subclass,
}


@functools.cache
def _called():
    """What may be called without anybody's permission."""
    callables = set(_names.rebuilders().values()) | set(_RESTRICTED.values())
    return frozenset(callables | {_C.device, Parameter})


class WeightsOnly:
    """Finds and makes what a file asks for, if it is allowed.

    Args:
        load: from the name of a storage (a tuple, as the file has it) to the storage.
    """

    def __init__(self, load):
        self.persistent_load = load
        self._found = {}
        self._allowed = _allowed_by_name()
        self._allowed_objects = list(self._allowed.values())

    check_key = staticmethod(check_key)

    def find_class(self, module, name):
        key = (module, name)
        if key not in self._found:
            self._found[key] = self._find(module, name)
        return self._found[key]

    def _find(self, module, name):
        if module.partition(".")[0] in _BLOCKED and (module, name) not in _RESTRICTED:
            refuse(f"it asks for {module}.{name}; nothing of the module {module} can be allowed")
        for known in (_RESTRICTED, _names.own()):
            if (module, name) in known:
                return known[module, name]
        for candidate in _candidates(module, name):
            if candidate in self._allowed:
                return self._allowed[candidate]
        refuse(
            f"it asks for {module}.{name}, which is not among what weights are made of. If you "
            f"trust this class or "
            f"function, allow it by "
            f"opweave.serialization.add_safe_globals([{name.rpartition('.')[2]}]) or within "
            f"`with opweave.serialization.safe_globals([{name.rpartition('.')[2]}]):`"
        )

    def _is_allowed(self, value):
        return any(value is allowed for allowed in self._allowed_objects)

    def reduce(self, function, arguments):
        if self._is_allowed(function):
            return function(*arguments)
        # What is not callable may have a hash that takes for ever.
        if not callable(function) or function not in _called():
            refuse(f"it calls {_title(function)}, which is not to be called")
        try:
            return function(*arguments)
        except _WRONG_ARGUMENTS as error:
            refuse(f"it calls {_title(function)} with what that does not take: {error}")

    def new_object(self, cls, arguments):
        if isinstance(cls, type) and self._is_allowed(cls):
            return cls.__new__(cls, *arguments)
        if cls is not Parameter and cls not in _RESTRICTED.values():
            refuse(f"it makes an object of {_title(cls)}, which is not to be made")
        return self.reduce(cls, arguments)

    def build(self, target, state):
        if type(target) is collections.OrderedDict or (
            isinstance(target, Tensor) and type(target) in (Tensor, Parameter)
        ):
            target.__dict__.update(_attributes(state))
        elif self._is_allowed(type(target)):
            _set_state(target, state)
        else:
            refuse(f"it sets the state of {type(target).__name__}, which has none")


def _attributes(state):
    if not isinstance(state, dict):
        refuse(f"attributes are given by {type(state).__name__}")
    return state


def _set_state(target, state):
    """What pickle does with the state of an object."""
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        target.__dict__.update(_attributes(state))
    for name, value in _attributes(slots or {}).items():
        setattr(target, name, value)


def _title(value):
    return getattr(value, "__qualname__", None) or type(value).__name__


def _candidates(module, name):
    """The names under which a class may be allowed, which PyTorch may keep in a deeper module."""
    yield f"{module}.{name}"
    parts = module.split(".")
    if parts[0] == "torch":
        for end in range(len(parts) - 1, 0, -1):
            yield ".".join([*parts[:end], name])


def _allowed_by_name():
    """What programs have allowed, by the full names that files may have for it."""
    named = {}
    for entry in _safe_globals.get_safe_globals():
        if isinstance(entry, tuple):
            named[entry[1]] = entry[0]
            continue
        module, name = entry.__module__, entry.__qualname__
        named[f"{module}.{name}"] = entry
        named[".".join(_names.to_file(module, name))] = entry
        if module.partition(".")[0] == "opweave":
            named[f"torch{module[len('opweave') :]}.{name}"] = entry
    return named
