"""What a library shows of its code to others: nothing that one of them could take for its own.

Libraries have functions and tables of one name in C++: those of operators of one name, of types and helpers
that people write twice. Whoever loads libraries with RTLD_GLOBAL would mix them, and so would the loader
itself variables of inline functions, of which it makes one for all.
"""

import re
import subprocess

from opweave.build.installation import LINKED
from opweave.build.missing_kernels import symbols

_FUNCTION = """\
{{
  global:
    PyInit_{name};
{shared}  local:
    *;
}};
"""
_VERSION = """\
{name} {{
  global:
    *;
}};
"""


def _shared_with_the_core():
    """Variables of inline functions and classes of the core: there is one of each, whoever has its code."""
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", *LINKED]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line.split() for line in found.stdout.splitlines()]
    return sorted({words[0] for words in lines if len(words) > 1 and words[1] == "u"})


def write_exports(sources, folder):
    """Writes for the linker what a library shows: its entry, or, where it has parts for other targets, which
    look for its functions, all it has, under its name. Returns what the linker is told.
    """
    path = folder / "exports.map"
    if sources.targets:
        text = _VERSION.format(name=sources.name)
    else:
        shared = "".join(f"    {name};\n" for name in _shared_with_the_core())
        text = _FUNCTION.format(name=sources.name, shared=shared)
    path.write_text(text, encoding="utf-8")
    return (f"-Wl,--version-script={path}",)


def catches_exceptions_by_itself(library):
    """Whether a library handles exceptions by a C++ library inside it, and not by that which all share.

    An exception that one C++ library has caught does not exist for another: where that throws it on,
    as the core does to tell Python of it, the process ends.
    """
    return "__gxx_personality_v0" not in symbols(library, "--undefined-only")


def defined_by_kernels(work):
    """The functions that compiled kernels define; the library itself shows none of them. What is left of
    kernels that there are no more does not count.
    """
    command = ["nm", "--demangle", "--defined-only", "--format=just-symbols"]
    text = (work / "build.ninja").read_text(encoding="utf-8")
    names = re.findall(r"^build (kernel_.*?\.o): compile", text, re.MULTILINE)
    objects = [work / re.sub(r"\$(.)", r"\1", name) for name in names]
    if not objects:
        return set()
    result = subprocess.run([*command, *objects], capture_output=True, text=True, check=True)
    return set(result.stdout.splitlines())
