"""Libraries for every release, from their packages: operators of the core become functions and methods."""

import types

from opweave import _C

_loaded = {}  # libraries by name: the full names of their operators, and what they added to which object


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


def operators_of(name):
    """The full names of a library's operators; None if there is none of the name."""
    return _loaded[name][0] if name in _loaded else None


def _places(face):
    """Where a function or method goes."""
    import opweave

    return [o for o, key in ((opweave, "function"), (opweave.Tensor, "method")) if face[key]]


def _check_names(manifest):
    own = [(place, name) for place, name, _ in _loaded.get(manifest["name"], ((), ()))[1]]
    for face in manifest["faces"]:
        for place in _places(face):
            if hasattr(place, face["name"]) and (place, face["name"]) not in own:
                raise ImportError(
                    f"the operator library '{manifest['name']}' has a function or method "
                    f"'{face['name']}', which exists already: give the operator another name"
                )


def _function(face):
    """Chooses among overloads by `out`, then by what takes the arguments."""
    pairs = [[name and _C._find_operator(name) for name in pair] for pair in face["overloads"]]
    first, first_out = pairs[0]

    def function(*args, **kwargs):
        if not kwargs and len(pairs) == 1:
            return first(*args)
        if "input" in kwargs:  # as functions of opweave call their first tensor
            kwargs["self"] = kwargs.pop("input")
        if len(pairs) == 1:
            return (first_out if first_out and "out" in kwargs else first)(*args, **kwargs)
        return _first_that_takes(face["name"], pairs, args, kwargs)

    function.__name__ = function.__qualname__ = face["name"]
    function.__doc__ = "\n".join(pair[0].schema for pair in pairs)
    return function


def _first_that_takes(name, pairs, args, kwargs):
    errors = []
    for operator, out in pairs:
        try:
            return (out if out and "out" in kwargs else operator)(*args, **kwargs)
        except TypeError as error:
            errors.append(f"  {operator.schema}: {error}")
    raise TypeError(f"no overload of '{name}' fits:\n" + "\n".join(errors))


def _registered(manifest, path):
    try:
        return _C._load_stable_library(str(path))
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
    _check_names(manifest)
    loaded = _registered(manifest, path)
    if loaded is None:
        raise ImportError(f"{path}: it has no operators: it does not define opweave_library()")
    for place, function_name, function in _loaded.pop(name, ((), ()))[1]:
        if vars(place).get(function_name) is function:
            delattr(place, function_name)
    module, added = types.ModuleType(name, f"The operators of {name}."), []
    for face in manifest["faces"]:
        function = _function(face)
        for place in _places(face):
            setattr(place, face["name"], function)
            added.append((place, face["name"], function))
        setattr(module, face["name"], function)
    _loaded[name] = ([operator for operator, _, _ in loaded[1]], added)
    return module
