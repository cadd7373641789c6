#!/usr/bin/env python3
"""Writes kernels/calls.txt: which operators handwritten code calls, as its object files say.

tools/codegen/kernel_calls.py OBJECT...            prints the lines
tools/codegen/kernel_calls.py --check FILE OBJECT...  exits with status 1 if the file says otherwise

Every function is in a section of its own, and the relocations of a section name what it calls. From
the function of a kernel they lead, through helpers of any file, to the operators' call functions.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

OPERATOR = re.compile(r"_ZN7opweave3ops(\d+)(\w+)")
KERNEL = re.compile(r"_ZN7opweave\d+(composite|cpu|meta)(\d+)(\w+)")
# The runtime finds operators by their schema.
SCHEMA = re.compile(rb"\0([a-z_]\w*(?:\.\w+)?)\([^\0]*\) -> [^\0]*(?=\0)")
HEADER = """\
# Which operators handwritten code calls. Written by tools/codegen/kernel_calls.py from object files
# (`./dev lock`); `opweave gen --select` keeps them for the kernels that it keeps.
"""


def sized_name(match: re.Match[str], number: int, text: int, ends: str) -> str | None:
    """The name of a mangled symbol: `7softmaxE…` gives `softmax`."""
    size, rest = int(match[number]), match[text]
    return rest[:size] if rest[size:].startswith(ends) else None


def operator_of(symbol: str) -> str | None:
    match = OPERATOR.match(symbol)
    return (
        sized_name(match, 1, 2, "4callE") or sized_name(match, 1, 2, "5entryE") if match else None
    )


def kernel_of(symbol: str) -> str | None:
    match = KERNEL.match(symbol)
    name = sized_name(match, 2, 3, "E") if match else None
    return f"{match[1]}/{name}" if match and name else None


class Object:
    """What the sections of one object file define and refer to."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.defined: dict[str, str] = {}  # symbol to section
        self.uses: dict[str, set[str]] = defaultdict(set)  # section to symbols and sections
        self._read()

    def _read(self) -> None:
        command = ["readelf", "-W", "--sections", "--syms", "--relocs", self.path]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        sections: dict[str, str] = {}
        current = ""
        for line in text.splitlines():
            if match := re.match(r"  \[ *(\d+)\] (\S+) ", line):
                sections[match[1]] = match[2]
            elif match := re.match(r"Relocation section '\.rela(\S+)'", line):
                current = match[1]
            elif match := re.match(r" *\d+: [0-9a-f]+ +\S+ \w+ +\w+ +\w+ +(\d+) (\S+)", line):
                self.defined[match[2]] = sections[match[1]]
            elif match := re.match(r"[0-9a-f]{16}  [0-9a-f]{16} R_\S+ +[0-9a-f]+ (\S+)", line):
                self.uses[current].add(match[1])

    def schemas(self) -> set[str]:
        found = SCHEMA.findall(Path(self.path).read_bytes())
        return {name.decode().replace(".", "_") for name in found}


class Graph:
    """Sections of handwritten objects, and where symbols lead."""

    def __init__(self, objects: list[Object]) -> None:
        self.places: dict[str, list[tuple[Object, str]]] = defaultdict(list)
        for file in objects:
            for symbol, section in file.defined.items():
                self.places[symbol].append((file, section))

    def operators_from(self, starts: list[tuple[Object, str]]) -> set[str]:
        """The operators that these sections call, or what they refer to does."""
        found: set[str] = set()
        seen = set()
        waiting = list(starts)
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            file, section = place
            for name in file.uses.get(section, ()):
                if operator := operator_of(name):
                    found.add(operator)
                elif name in file.uses:
                    waiting.append((file, name))  # a section of this file
                else:
                    waiting.extend(self.places.get(name, ()))
        return found


def is_generated(path: str) -> bool:
    return "/generated/" in f"/{path}"


def is_kernel(path: str) -> bool:
    return "/kernels/" in f"/{path}" and not is_generated(path)


def listing(paths: list[str]) -> str:
    objects = [Object(path) for path in sorted(paths)]
    handwritten = [file for file in objects if not is_generated(file.path)]
    runtime = [file for file in handwritten if not is_kernel(file.path)]
    graph = Graph(handwritten)
    called = {
        name
        for file in objects
        if is_generated(file.path)
        for names in file.uses.values()
        for name in names
    }
    always = graph.operators_from([(file, s) for file in runtime for s in list(file.uses)])
    for file in runtime:
        always |= file.schemas()
    lines = []
    for symbol in sorted(called & graph.places.keys()):
        found = graph.operators_from(graph.places[symbol])
        if kernel := kernel_of(symbol):
            lines.append((kernel, found))
        else:
            always |= found  # what generated code calls besides kernels
    text = [
        f"{kernel}: {' '.join(sorted(found - always))}\n"
        for kernel, found in sorted(lines)
        if found - always
    ]
    return f"{HEADER}runtime: {' '.join(sorted(always))}\n" + "".join(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=Path)
    parser.add_argument("objects", nargs="+")
    options = parser.parse_args()
    text = listing(options.objects)
    if options.check is None:
        sys.stdout.write(text)
        return 0
    if options.check.read_text(encoding="utf-8") == text:
        return 0
    print(f"{options.check} is out of date: run ./dev lock")
    return 1


if __name__ == "__main__":
    sys.exit(main())
