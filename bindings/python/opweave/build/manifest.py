"""What a built library says of itself, and what it needs of the core."""

import hashlib
import json
import re

from opweave import _C
from opweave._libraries import FORMAT, class_layouts, schema_hash
from opweave._version import __version__
from opweave.build.missing_kernels import symbols

_OPERATOR = re.compile(r"opweave::ops::(\w+)::")


def used_operators(library):
    """The core's operators that a library calls: name -> hash of the schema."""
    own = {_OPERATOR.match(s)[1] for s in symbols(library, "--defined-only") if _OPERATOR.match(s)}
    wanted = {
        _OPERATOR.match(s)[1] for s in symbols(library, "--undefined-only") if _OPERATOR.match(s)
    }
    names = {_identifier(name): name for name in _C._operator_names() if "::" not in name}
    return {
        names[w]: schema_hash(_C._find_operator(names[w]).schema)
        for w in sorted(wanted - own)
        if w in names
    }


def _used(library, parts):
    """Of the core's operators; what parts call of the library's own is no business of the core."""
    own = {_OPERATOR.match(s)[1] for s in symbols(library, "--defined-only") if _OPERATOR.match(s)}
    used = {}
    for path in (library, *parts.values()):
        used |= {n: h for n, h in used_operators(path).items() if _identifier(n) not in own}
    return dict(sorted(used.items()))


def _identifier(name):
    """As the generator names an operator of the core in C++."""
    return name.replace(".", "_")


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _needed(library, parts):
    """What one needs that is compiled with the core's classes."""
    return {
        "interface": _C._library_interfaces[1],
        "uses": _used(library, parts),
        "classes": class_layouts(),
    }


def manifest_text(sources, library, parts, operators, faces=None):
    """The text of library.json.

    Args:
        sources: what it was built from.
        library: the extension.
        parts: the libraries for targets besides the CPU, by target.
        operators: its operators.
        faces: of a library for every release, its functions and methods.
    """
    content = {
        "format": FORMAT,
        "name": sources.name,
        "version": sources.version,
        "library": library.name,
        "sha256": _digest(library),
        "targets": {
            target: {"library": path.name, "sha256": _digest(path)}
            for target, path in parts.items()
        },
        "opweave": __version__,
        "operators": operators,
        **(_needed(library, parts) if faces is None else {"faces": faces}),
    }
    return json.dumps(content, indent=1) + "\n"
