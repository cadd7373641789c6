"""Operators that take and return whatever value_types.def says that operators may.

make_operators.py VALUE_TYPES OPS
"""

import re
import sys
from pathlib import Path

# What sample calls give; of other types there are no sample values, and their operators are internal.
SAMPLES = {
    "Tensor": "real(2)",
    "Scalar": "2",
    "int": "1",
    "float": "0.5",
    "bool": "true",
    "str": "'a'",
    "ScalarType": "float32",
    "Layout": "strided",
    "MemoryFormat": "contiguous_format",
}
NAMES = {
    "tensor": "Tensor",
    "scalar": "Scalar",
    "integer": "int",
    "floating": "float",
    "boolean": "bool",
    "string": "str",
    "scalar_type": "ScalarType",
    "layout": "Layout",
    "device": "Device",
    "memory_format": "MemoryFormat",
    "object": "Generator",
}


def rows(text):
    for base, forms in re.findall(r"^OPWEAVE_VALUE_TYPE\((\w+), ([\w| ]+),", text, re.MULTILINE):
        yield NAMES[base], set(forms.split(" | "))


def argument_types(name, forms):
    types = [name]
    if "kOptional" in forms:
        types.append(name + "?")
    lists = [name + "[]"] * ("kList" in forms) + [name + "[2]"] * ("kSizedList" in forms)
    types += lists
    if "kOptionalList" in forms:
        types += [each + "?" for each in lists]
    if "kOptionalElements" in forms:
        types.append(name + "?[]")
    return types


def sample(type_):
    name = re.match(r"\w+", type_)[0]
    if name not in SAMPLES:
        return None
    return f"[{SAMPLES[name]}, {SAMPLES[name]}]" if "[" in type_ else SAMPLES[name]


def entry(name, arguments, result, samples, more=""):
    internal = "  internal: true\n" if None in samples.values() else ""
    given = "".join(f", {key}: {value}" for key, value in samples.items())
    calls = "" if internal else f"  samples:\n    - {{self: real(2){given}}}\n"
    return (
        f"- func: {name}(Tensor self{arguments}) -> {result}\n  kernels: [cpu]\n{internal}"
        f"  differentiable: false\n{more}{calls}"
    )


def taking(name, forms):
    """One operator that takes every form."""
    types = argument_types(name, forms)
    arguments = {f"x{i}": type_ for i, type_ in enumerate(types)}
    roles = ", ".join(f"{key}: number" for key in arguments) if name == "int" else ""
    return entry(
        f"taking_{name.lower()}",
        "".join(f", {type_} {key}" for key, type_ in arguments.items()),
        "Tensor",
        {key: sample(type_) for key, type_ in arguments.items()},
        f"  roles: {{{roles}}}\n" if roles else "",
    )


def giving(name, forms):
    """Operators that return it alone, with a condition, and in lists."""
    condition = "  require:\n    self.dim() > 0: no\n"
    made = []
    if "kResult" in forms:
        made.append(entry(f"giving_{name.lower()}", "", name, {}))
        made.append(entry(f"checked_{name.lower()}", "", name, {}, condition))
    if "kListResult" in forms:
        made.append(entry(f"giving_{name.lower()}_list", "", name + "[]", {}))
    return "".join(made)


def main() -> None:
    table, ops = map(Path, sys.argv[1:])
    text, several = "", []
    for name, forms in rows(table.read_text()):
        text += taking(name, forms) + giving(name, forms)
        several += [name] * ("kResult" in forms)
    text += entry("giving_all", "", f"({', '.join(several)})", {})
    ops.write_text(text)


main()
