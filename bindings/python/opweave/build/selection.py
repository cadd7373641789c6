"""Builds with some operators of a library: which those are, and which kernels they need."""

import re
from dataclasses import replace
from pathlib import Path

from opweave.build.errors import BuildError, readable

_KERNEL = re.compile(r'^\s*#\s*include\s*"opweave/kernels/(\w+)/(\w+)\.h"', re.MULTILINE)
_CALLED = re.compile(r'^\s*#\s*include\s*"opweave/ops/(\w+)\.h"', re.MULTILINE)
_ENTRY = re.compile(r"^- +func: *[\"']?(\w+(?:\.\w+)?)", re.MULTILINE)


def with_selection(sources, path):
    """The library with the operators that the file `path` selects; all of them if it is None.

    Raises:
        BuildError: there is no such file.
    """
    if path is None:
        return sources
    if not Path(path).is_file():
        raise BuildError(
            f"{path}: there is no such file, which selects operators of {sources.folder}"
        )
    return replace(sources, selection=Path(path))


def _text(path):
    with readable(path):
        return path.read_text(encoding="utf-8", errors="replace")


def _overloads(sources):
    """The operators of the library by base name, as the generator writes them in C++."""
    found = {}
    for path in sources.ops:
        for name in _ENTRY.findall(_text(path)):
            found.setdefault(name.split(".")[0], []).append(name.replace(".", "_"))
    return found


def _kernel_calls(sources):
    """Which operators of the library its handwritten kernels call, as their files include them."""
    overloads = _overloads(sources)
    for path in sources.handwritten():
        text = _text(path)
        called = [name for base in _CALLED.findall(text) for name in overloads.get(base, [])]
        if called:
            yield from (f"{t}/{name}: {' '.join(called)}\n" for t, name in _KERNEL.findall(text))


def selection_words(sources, folder):
    """What the generator is told; writes a file into `folder`."""
    if sources.selection is None:
        return []
    calls = Path(folder) / "calls.txt"
    calls.write_text("".join(_kernel_calls(sources)), encoding="utf-8")
    return ["--select", sources.selection, "--kernel-calls", calls]


def without_unselected_kernels(sources, operators):
    """The library without the files whose kernels are all of operators that were left out.

    Args:
        sources: the library.
        operators: what the generator lists: those that are there.
    """
    if sources.selection is None:
        return sources
    kept = {op["name"].split(".")[0] for op in operators}

    def stays(path):
        names = {name for _, name in _KERNEL.findall(_text(path))}
        return not names or not names.isdisjoint(kept)

    return replace(
        sources,
        kernels=tuple(filter(stays, sources.kernels)),
        target_kernels=tuple(pair for pair in sources.target_kernels if stays(pair[1])),
    )
