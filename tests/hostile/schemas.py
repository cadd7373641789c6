"""Calls of operators by their schemas: those of the form that writes elsewhere, or of values of the types."""

import keyword
import re

import opweave as ow
from values import PRELUDE, Array, Call, Items, Text

_AFTER = ["touch(r)"]
_BY_TYPE = {
    "Tensor": Array((2, 3)), "Scalar": Text("1.5"), "int": Text("1"), "float": Text("0.5"),
    "bool": Text("True"), "str": Text("'sum'"), "ScalarType": Text("ow.float32"),
    "Layout": Text("ow.strided"), "Device": Text("'cpu'"), "Generator": Text("ow.Generator()"),
    "MemoryFormat": Text("ow.contiguous_format"), "ProcessGroup": Text("group()"),
}  # fmt: skip
# Which texts there are, and that the rank that everybody sends to is this one, the name tells.
_BY_NAME = {"rounding_mode": Text("'floor'"), "root": Text("0")}


def target_of(name, overload):
    """How a program writes an operator; some overloads are called like words of Python."""
    home = f"ow.ops.{name}"
    return f"getattr({home}, '{overload}')" if keyword.iskeyword(overload) else f"{home}.{overload}"


def targets(names):
    """Target -> operator, of every overload of these names."""
    return {
        target_of(name, overload): getattr(getattr(ow.ops, name), overload)
        for name in sorted(names)
        for overload in getattr(ow.ops, name).overloads()
    }


def all_names():
    """The names of `ow.ops` that are operators."""
    return {n for n in dir(ow.ops) if hasattr(getattr(ow.ops, n), "overloads")}


def value_of(argument):
    """A value of the argument's type; of a list as many as it has to have, else two."""
    kind, is_list, length = re.match(
        r"(\w+)(?:\([^)]*\))?\??(\[(\d*)\])?", argument["type"].replace("SymInt", "int")
    ).groups()
    value = _BY_NAME.get(argument["name"]) or _BY_TYPE.get(kind)
    if value is None:
        raise TypeError(f"no value is known of the type {kind} (add one to _BY_TYPE)")
    return Items([value] * int(length or 2)) if is_list else value


def of_schema(target, operator):
    arguments = operator.arguments
    positional = [value_of(a) for a in arguments if not a["keyword_only"]]
    # What may be left out is: waiting for 0.5 s, or on a device that is not there, helps nobody.
    keywords = {
        a["name"]: value_of(a) for a in arguments if a["keyword_only"] and not a["has_default"]
    }
    return Call(target, positional, keywords, list(_AFTER))


def _kinds(arguments):
    return [(a["name"], a["type"]) for a in arguments]


def functional_of(operator):
    """The operator that gives what this one writes into an argument, or None."""
    is_out = [a for a in operator.arguments if a["written"] and a["keyword_only"]]
    name = operator.name if is_out else operator.name.removesuffix("_")
    if name not in dir(ow.ops) or (not is_out and name == operator.name):
        return None
    wanted = _kinds(a for a in operator.arguments if a not in is_out)
    for target, other in targets({name}).items():
        if _kinds(other.arguments) == wanted:
            return target
    return None


def _dtypes(call, space):
    """The dtypes of a call's results; none where it is refused."""
    try:
        exec(compile(call.program(), "seed", "exec"), space := dict(space))
    except Exception:  # noqa: BLE001: a test asserts that something is left
        return []
    results = space["r"] if isinstance(space["r"], (tuple, list)) else (space["r"],)
    return [str(r.dtype).split(".")[-1] for r in results if ow.is_tensor(r)]


def of_forms(wanted, known, most=3):
    """Calls of operators that write, by the calls that are known of what they are the forms of."""
    by_target, space, found = {}, {"touch": lambda r: None}, []
    exec(PRELUDE, space)
    for call in known:
        by_target.setdefault(call.target, []).append(call)
    for target, operator in wanted.items():
        outs = [a["name"] for a in operator.arguments if a["written"] and a["keyword_only"]]
        for call in by_target.get(functional_of(operator), [])[:most]:
            keywords, dtypes = dict(call.keywords), _dtypes(call, space) if outs else []
            if len(dtypes) < len(outs):
                continue
            keywords.update((name, Array((0,), d)) for name, d in zip(outs, dtypes))
            found.append(Call(target, list(call.positional), keywords, list(_AFTER)))
    return found
