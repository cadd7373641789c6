"""Libraries for every release: what they may be made of, and how they are compiled."""

import dataclasses
import re

from opweave.build.errors import BuildError
from opweave.build.installation import PACKAGE
from opweave.build.missing_kernels import symbols

# Functions of vectors, which have an interface of their own that stays; the core carries the library.
_MATHEMATICS = tuple(str(path) for path in (PACKAGE / "lib").glob("libsleef.so.*"))
_FUNCTION = re.compile(r"opweave::(?:\w+::)*(\w+)")


def for_every_release(sources):
    """The sources as those of a library for every release.

    Raises:
        BuildError: it is for other targets than the CPU.
    """
    if sources.targets:
        raise BuildError(
            f"a library for every release is for the CPU alone, not for {', '.join(sources.targets)}: build "
            "it without --stable"
        )
    return dataclasses.replace(sources, stable=True)


def generator_words(sources):
    """What the generator is told besides; it looks at what kernels include."""
    files = (*sources.kernels, *sources.headers())
    return ("--emit", "stable", *(word for path in files for word in ("--kernels", path)))


def instead(generated):
    """Folders of headers that handwritten kernels get in the place of the core's."""
    return (generated / "instead",)


def as_written(complaint):
    """In the words of a kernel's author, whose Tensor has a namespace of its own in the compiled library."""
    return complaint._replace(text=complaint.text.replace("opweave::stable_form::", "opweave::"))


def link_words(generated):
    """What its linker is told besides."""
    return (*_MATHEMATICS, f"-Wl,--version-script={generated / 'opweave/stable/exports.map'}")


def check_symbols(library):
    """BuildError if a library needs functions of the core that a later one may not have."""
    names = {
        _FUNCTION.match(s)[1] for s in symbols(library, "--undefined-only") if "opweave::" in s
    }
    if names:
        raise BuildError(
            f"a library for every release cannot call functions of the core, and its expressions use "
            f"{', '.join(sorted(names))}: build it without --stable"
        )
