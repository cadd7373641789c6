"""Run by gdb: prints how every class of Opweave is laid out that an object file knows, hashed, as JSON.

Code that was compiled with other layouts cannot run with this one. What counts of a class is its size, where
its members and bases are and of which types, and its virtual functions in their order; of an enumeration its
values. Names of private members, which end in an underscore, do not count: nobody else uses them.
"""

import hashlib
import json
import re

import gdb


def named_types() -> list[str]:
    """Of the namespace opweave, templates that are instantiated among them."""
    lines = gdb.execute("info types -q ^opweave::", to_string=True).splitlines()
    found = (re.match(r"(?:\d+:)?\s+(?!typedef)(?:enum )?(opweave::.*);$", line) for line in lines)
    return sorted({match[1] for match in found if match and "{lambda" not in match[1]})


def virtual_functions(name: str) -> list[str]:
    text = gdb.execute(f"ptype '{name}'", to_string=True)
    return [line.strip() for line in text.splitlines() if line.strip().startswith("virtual ")]


def public_name(field: str | None) -> str:
    return "" if field is None or field.endswith("_") else field


def layout(name: str) -> str:
    kind = gdb.lookup_type(name)
    parts = [str(kind.sizeof)]
    for field in kind.fields():
        if hasattr(field, "enumval"):
            parts.append(f"{field.name}={field.enumval}")
        elif hasattr(field, "bitpos"):  # and no static member
            parts.append(f"{field.bitpos} {public_name(field.name)} {field.type}")
    if kind.code == gdb.TYPE_CODE_STRUCT:
        parts += virtual_functions(name)
    return "\n".join(parts)


def layouts() -> dict[str, str]:
    found = {}
    for name in named_types():
        try:
            found[name] = hashlib.sha256(layout(name).encode()).hexdigest()[:16]
        except (gdb.error, TypeError):  # declared only, or no class
            continue
    return found


print(json.dumps(layouts(), indent=0))
