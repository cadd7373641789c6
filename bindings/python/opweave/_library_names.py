"""Whose the names of operators, functions and methods are, and what becomes of one that libraries share."""

import functools
import json
import pathlib

# Where entries of the core's operators are; only a wheel has it.
_CORE = pathlib.Path(__file__).parent / "share" / "operators.json"

_libraries = {}  # name -> whether it is one for every release
_operators = {}  # of libraries: full name -> (library, place of the entry)
_names = {}  # (object, name) -> what libraries added there: [(library, place, function)]


@functools.cache
def _core_places():
    try:
        listed = json.loads(_CORE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    places = [(op["name"], op["place"].removeprefix("./")) for op in reversed(listed)]
    return {name.split(".")[0]: place for name, place in places} | dict(places)


def in_words(library, place):
    """A library and the line of its entry: `mine (mine/ops.yaml:3)`."""
    return f"{library} ({place})" if place else library


def whose(operator):
    """In words, the library that has an operator: by its full name, or as Python calls its function."""
    for (_, name), owners in _names.items():
        if name == operator:
            return " and ".join(in_words(library, place) for library, place, _ in owners)
    if owner := _operators.get(operator):
        return in_words(*owner)
    if "::" in operator:
        return "this program, which defined it"
    return in_words("opweave", _core_places().get(operator, ""))


def check_library(library, stable):
    """ImportError if there is a library of this name in the other form, whose place it does not take."""
    if _libraries.get(library, stable) != stable:
        raise ImportError(
            f"there is an operator library '{library}' already, which is {'not ' if stable else ''}for every "
            "release: give one of them another name, or import one of them"
        )


def note_operators(library, operators, stable):
    """Those that a library has registered, in the place of what it had before: (full name, place, …)."""
    forget_operators(library)
    _libraries[library] = stable
    _operators.update({name: (library, place) for name, place, *_ in operators})


def forget_operators(library):
    """That a library has registered any."""
    for name in [n for n, owner in _operators.items() if owner[0] == library]:
        del _operators[name]


def _entry_of(where, name):
    """The name that an operator of the core has in its entry: `linalg_norm` of `opweave.linalg.norm`."""
    module = getattr(where, "__name__", "").removeprefix("opweave.")
    longer = f"{module}_{name}"
    return longer if longer in _core_places() else name


def check(library, name, where, place):
    """ImportError if the core has a function or method of the name."""
    if not hasattr(where, name) or (where, name) in _names:
        return
    whose_name = whose(_entry_of(where, name))
    raise ImportError(
        f"the function or method '{name}' of {in_words(library, place)} is already one of {whose_name}: "
        "give the operator another name"
    )


def _several(name, owners):
    """In the place of a function that two libraries have, neither of which is meant more than the other."""
    whose_all = " and ".join(in_words(library, place) for library, place, _ in owners)
    ways = " or ".join(f"opweave.ops.{library}.{name}" for library, _, _ in owners)

    def function(*args, **kwargs):
        raise RuntimeError(
            f"'{name}' is an operator of several libraries, {whose_all}: call {ways}"
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Of {whose_all}: call {ways}."
    return function


def _install(where, name):
    owners = _names[where, name]
    if not owners:
        del _names[where, name]
        delattr(where, name)
        return
    setattr(where, name, owners[0][2] if len(owners) == 1 else _several(name, owners))


def add(library, name, where, place, function):
    """Makes a function of a library one of `where`: opweave, or Tensor."""
    _names.setdefault((where, name), []).append((library, place, function))
    _install(where, name)


def remove(library):
    """Takes back what a library has added; what others have of the same names is theirs again."""
    for (where, name), owners in list(_names.items()):
        kept = [owner for owner in owners if owner[0] != library]
        if len(kept) != len(owners):
            _names[where, name] = kept
            _install(where, name)
