"""Where the installed package keeps what operator libraries are made with."""

import functools
import hashlib
import json
from pathlib import Path

from opweave._libraries import class_layouts
from opweave._version import __version__
from opweave.build.errors import BuildError

PACKAGE = Path(__file__).parents[1]
GENERATOR = PACKAGE / "bin" / "opweave"
INCLUDE = PACKAGE / "include"
SHARE = PACKAGE / "share"
CORE_OPERATORS = SHARE / "ops.yaml"
# What a library is linked with: the operators and the runtime, and what Python calls.
LINKED = (PACKAGE / "lib" / "libopweave.so", PACKAGE / "_C.so")


@functools.cache
def core_identity():
    """A hash that changes with the core that libraries are compiled for."""
    parts = [__version__, json.dumps(class_layouts(), sort_keys=True)]
    for path in (GENERATOR, *LINKED):
        status = path.stat()
        parts += [str(status.st_size), str(status.st_mtime_ns)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def check_installation():
    """BuildError where the package was not installed from its wheel."""
    needed = (GENERATOR, INCLUDE, CORE_OPERATORS, *LINKED)
    missing = [str(path.relative_to(PACKAGE)) for path in needed if not path.exists()]
    if missing:
        raise BuildError(
            f"the package in {PACKAGE} lacks {', '.join(missing)}, with which operator libraries are "
            "built: install opweave from its wheel"
        )
