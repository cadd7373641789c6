#!/usr/bin/env python3
"""Copies a shared library if every function of Opweave that it calls is there; else says which is missing.

The linker lets undefined functions of shared libraries pass, because Python's are found when it loads them.
Nor does it know what functions return: the compiler has compared a kernel whose file includes its generated
header, so that a file which defines a kernel without that is an error, too.

missing_kernels.py LIBRARY COPY [--against LIBRARY]... [--sources FILE]... [--headers FILE]... [--part]
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

KERNEL = re.compile(r"opweave::(\w+)::(\w+)\((.*)\)$")
# Of a function, and not of what calls it.
DECLARATION = r"^[\w:<>,&* ]+?[ &*](\w+)\([^;{]*\);"
DEFINITION = r"^[\w:<>,&* ]+[ &*]{}\([^;{{}}]*\)\s*\{{"
# Inside of Opweave that are no targets.
INNER = {"ops", "python", "generated", "rules", "autograd", "batching", "forward", "detail"}


class Complaint(NamedTuple):
    """What is wrong, and the operator that it is about, as the generator names it in C++; "" if none."""

    operator: str
    text: str


def symbols(library: Path, which: str) -> set[str]:
    command = ["nm", "--dynamic", "--demangle", which, str(library)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {re.sub(r"@.*", "", line[19:]) for line in output.splitlines()}


def source_of(function: str, sources: list[Path]) -> str:
    for source in sources:
        if re.search(rf"\b{function}\s*\(", source.read_text(errors="replace")):
            return str(source)
    return ""


def complaint(symbol: str, defined: set[str], sources: list[Path]) -> Complaint:
    kernel = KERNEL.match(symbol)
    if kernel is None or kernel[1] in INNER:
        return Complaint("", f"nothing defines {symbol}")
    target, function, _ = kernel.groups()
    prefix = f"opweave::{target}::{function}("
    lines = [
        f"the operator '{function}' has no kernel for the target '{target}': nothing defines\n    {symbol}\n"
        f"  which opweave/kernels/{target}/ declares"
    ]
    source = source_of(function, sources)
    others = sorted(name for name in defined if name.startswith(prefix))
    if others:
        lines.append(f"  {source or 'the library'} has another signature:\n    {others[0]}")
    elif source:
        lines.append(
            f"  {source} names it, but defines no function of the namespace opweave::{target}"
        )
    return Complaint(function, "\n".join(lines))


def with_included(source: Path, sources: list[Path]) -> str:
    """The text of a file, and of those of the sources that it includes."""
    text = source.read_text(errors="replace")
    names = {Path(name).name for name in re.findall(r'#include "([^"]+)"', text)}
    return text + "".join(s.read_text(errors="replace") for s in sources if s.name in names)


def unchecked(header: Path, sources: list[Path]) -> list[Complaint]:
    """What is wrong about files that define kernels of a generated header: none of them includes it."""
    # opweave/kernels/<target>/<operator>.h
    included = "opweave/kernels/" + str(header).rpartition("opweave/kernels/")[2]
    target = included.removesuffix(".h").split("/")[2]
    either = (f'#include "{included}"', f'#include "opweave/kernels/{target}.h"')
    texts = {source: with_included(source, sources) for source in sources}
    found = []
    for function in re.findall(DECLARATION, header.read_text(), re.MULTILINE):
        definition = re.compile(DEFINITION.format(f"(?:{target}::)?{function}"), re.MULTILINE)
        defining = [source for source in sources if definition.search(texts[source])]
        # Beside the kernel others may be called so, in namespaces of their own.
        if not defining or any(line in texts[s] for s in defining for line in either):
            continue
        text = (
            f"{defining[0]} defines '{function}', the kernel of an operator for the target "
            f"'{target}', without\n"
            f"    {either[0]}\n"
            "  so that nothing compares what it takes and returns with the operator's entry"
        )
        found.append(Complaint(function, text))
    return found


def complaints(
    library: Path,
    against: Sequence[Path],
    sources: list[Path],
    headers: list[Path],
    part: bool = False,
    known: set[str] | None = None,
) -> list[Complaint]:
    """Everything that is wrong with a library, loaded with those of `against`.

    `part`: it is the part of one for a target whose own library need not be here: what lacks is told of
    the kernels that `headers` declare alone. `known` is what it defines, where the library itself does not
    show it.
    """
    if alone := [c for header in headers for c in unchecked(header, sources)]:
        return alone
    wanted = {s for s in symbols(library, "--undefined-only") if s.startswith("opweave::")}
    provided: set[str] = set()
    for other in against:
        provided |= symbols(other, "--defined-only")
    missing = sorted(wanted - provided)
    defined = (known or symbols(library, "--defined-only")) if missing else set()
    found = [complaint(symbol, defined, sources) for symbol in missing]
    kernels = {header.stem for header in headers}
    return [c for c in found if c.operator in kernels] if part else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("copy", type=Path)
    parser.add_argument("--against", type=Path, action="append", default=[])
    parser.add_argument("--sources", type=Path, action="append", default=[])
    parser.add_argument("--headers", type=Path, action="append", default=[])
    parser.add_argument("--part", action="store_true")
    given = parser.parse_args()
    if found := complaints(given.library, given.against, given.sources, given.headers, given.part):
        sys.exit("\n".join(f"error: {complaint.text}" for complaint in found))
    shutil.copyfile(given.library, given.copy)


if __name__ == "__main__":
    main()
