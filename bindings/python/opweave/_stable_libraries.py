"""Libraries for every release, from their packages: operators of the core become functions and methods."""

import collections
import functools
import sys
import types

from opweave import _C, _library_names


def are_faces(value):
    """Whether a manifest can have this as its functions and methods."""
    return isinstance(value, list) and all(map(_is_face, value))


def _is_face(value):
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and all(isinstance(value.get(key), bool) for key in ("function", "method"))
        and isinstance(value.get("overloads"), list)
        and bool(value["overloads"])
        and all(map(_is_overload, value["overloads"]))
    )


def _is_overload(value):
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and (value[1] is None or isinstance(value[1], str))
    )


def _places(face):
    """Where a function or method goes."""
    # The package is no module that this one is made of, but what a library adds to.
    package = sys.modules["opweave"]
    return [o for o, key in ((package, "function"), (_C.Tensor, "method")) if face[key]]


def _entry_of(manifest, face):
    """The line of the entry behind a function or method."""
    first = face["overloads"][0][0].rpartition("::")[2]  # entries are written without the namespace
    return next((op["place"] for op in manifest["operators"] if op["name"] == first), "")


def _check_names(manifest):
    for face in manifest["faces"]:
        for place in _places(face):
            entry = _entry_of(manifest, face)
            _library_names.check(manifest["name"], face["name"], place, entry)


def _function(face):
    """Chooses among overloads by `out`, then by what takes the arguments."""
    pairs = [[name and _C._find_operator(name) for name in pair] for pair in face["overloads"]]
    first, first_out = pairs[0]

    def function(*args, **kwargs):
        if not kwargs and len(pairs) == 1:
            return _named(first, first(*args))
        if "input" in kwargs:  # as functions of opweave call their first tensor
            kwargs["self"] = kwargs.pop("input")
        if len(pairs) == 1:
            return _call(first, first_out, args, kwargs)
        return _first_that_takes(face["name"], pairs, args, kwargs)

    function.__name__ = function.__qualname__ = face["name"]
    function.__doc__ = "\n".join(pair[0].schema for pair in pairs)
    return function


def _name_of(operator):
    """As entries and Python call it, without the library's namespace."""
    return operator.name.rpartition("::")[2]


def _call(operator, out, args, kwargs):
    """Into `out`, where it is given: a tensor, or one for each result."""
    if "out" in kwargs and kwargs["out"] is None:
        del kwargs["out"]
    if out is None or "out" not in kwargs:
        return _named(operator, operator(*args, **kwargs))
    names = [a["name"] for a in out.arguments if a["written"]]
    if names == ["out"]:
        return out(*args, **kwargs)
    given = kwargs.pop("out")
    if not isinstance(given, tuple | list) or len(given) != len(names):
        raise TypeError(
            f"{_name_of(out)}(): 'out' has to be {len(names)} tensors: {', '.join(names)}, not "
            f"{type(given).__name__}"
        )
    return _named(operator, out(*args, **kwargs, **dict(zip(names, given, strict=True))))


@functools.cache
def _result_type(operator_name, names):
    return collections.namedtuple(operator_name, names, rename=True)


def _named(operator, result):
    """Several results by the names that the schema gives them; a list of tensors as a tuple, as functions of
    opweave give it."""
    if isinstance(result, list):
        return tuple(result)
    if not isinstance(result, tuple):
        return result
    names = tuple(r["name"] for r in operator.returns)
    if not all(names):
        return result
    return _result_type(_name_of(operator), names)(*result)


def _first_that_takes(name, pairs, args, kwargs):
    errors = []
    for operator, out in pairs:
        try:
            return _call(operator, out, args, dict(kwargs))
        except TypeError as error:
            errors.append(f"  {operator.schema}: {error}")
    raise TypeError(f"no overload of '{name}' fits:\n" + "\n".join(errors))


def load_file(path):
    """The name of a library and its operators, which the core has registered; None if the file has none.

    Raises:
        OSError: the file is none that can be loaded.
        ImportError: this core is not what the library needs, or a name is taken; nothing is registered.
    """
    loaded = _C._load_stable_library(str(path))
    if loaded is not None:
        _library_names.note_operators(*loaded, stable=True)
    return loaded


def _registered(manifest, path):
    try:
        return load_file(path)
    except OSError as error:
        own = ", ".join(op["name"] for op in manifest["operators"] if not op["derived"])
        raise ImportError(
            f"the operator library '{manifest['name']}' ({own}) was built for opweave {manifest['opweave']} "
            f"and cannot run on this opweave: {error}"
        ) from None


def load(manifest, path):
    """The module of a library, whose operators the core has registered.

    Raises:
        ImportError: this core is not what the library needs, or a name is taken; nothing is registered.
    """
    name = manifest["name"]
    _library_names.check_library(name, stable=True)
    _check_names(manifest)
    loaded = _registered(manifest, path)
    if loaded is None:
        raise ImportError(f"{path}: it has no operators: it does not define opweave_library()")
    _library_names.remove(name)
    module = types.ModuleType(name, f"The operators of {name}.")
    for face in manifest["faces"]:
        function = _function(face)
        for place in _places(face):
            _library_names.add(name, face["name"], place, _entry_of(manifest, face), function)
        setattr(module, face["name"], function)
    return module
