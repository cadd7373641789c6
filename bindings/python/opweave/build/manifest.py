"""What a built library says of itself, and what it needs of the core."""

import hashlib
import json
import re

import opweave
from opweave import _C
from opweave._libraries import FORMAT, class_layouts, schema_hash
from opweave.build.missing_kernels import symbols

_OPERATOR = re.compile(r"opweave::ops::(\w+)::")


def used_operators(library):
    """The core's operators that a library calls: name -> hash of the schema."""
    own = {_OPERATOR.match(s)[1] for s in symbols(library, "--defined-only") if _OPERATOR.match(s)}
    wanted = {
        _OPERATOR.match(s)[1] for s in symbols(library, "--undefined-only") if _OPERATOR.match(s)
    }
    names = {name.replace(".", "_").replace("::", "_"): name for name in _C._operator_names()}
    return {
        names[w]: schema_hash(_C._find_operator(names[w]).schema)
        for w in sorted(wanted - own)
        if w in names
    }


def manifest_text(sources, library, operators):
    """The text of library.json."""
    content = {
        "format": FORMAT,
        "name": sources.name,
        "version": sources.version,
        "library": library.name,
        "sha256": hashlib.sha256(library.read_bytes()).hexdigest(),
        "opweave": opweave.__version__,
        "interface": _C._library_interface,
        "operators": operators,
        "uses": used_operators(library),
        "classes": class_layouts(),
    }
    return json.dumps(content, indent=1) + "\n"
