"""Takes out of oneDNN what our kernels cannot reach, for the wheel, which has a limit.

The library has 39 MB of code: for graphics cards, and for primitives of which we call few (KINDS). The
file stays as it is, with traps in place of the functions that nothing leads to, which pack to nothing:
reachable.py says how they are found. What leads to primitives of other kinds are their descriptors,
which the library makes to ask whether they can do something (`create`, called through the lists of a
kind): a function that makes these alone is cut, and so are the virtual functions of their classes. A
call of what was cut ends the process; tests walk all lists that we can.
"""

import argparse
import re
import subprocess
from pathlib import Path

from elf import Library
from reachable import Node, Program

# The primitives that we call, and those that these are made of.
KINDS = ("convolution", "reorder", "inner_product")
DESCRIPTOR = "N4dnnl4impl16primitive_desc_tE"
# Of integers of 8 bits, which have lists of their own; and for graphics cards.
OTHERS = re.compile(r"x8s8s32|u8s8s32|_int8_|_s8_t|4dnnl4impl3gpu")
TRAP = b"\xcc"


def kind_name(kind: str) -> str:
    """The mangled name of the class that all descriptors of a kind descend from."""
    name = f"{kind}_pd_t"
    return f"N4dnnl4impl{len(name)}{name}E"


class Cut:
    """What is left out of a program, as a question to a node."""

    def __init__(self, program: Program):
        self.program = program
        made = {kind_name(kind) for kind in KINDS}
        self.descriptors, self.tables = set(), set()
        for address, table in program.classes.tables.items():
            name = program.classes.names[table.info]
            ancestors = program.classes.ancestors(table.info)
            if DESCRIPTOR in ancestors:
                self.descriptors.add(address)
            if OTHERS.search(name) or (DESCRIPTOR in ancestors and not ancestors & made):
                self.tables.add(address)
        if not self.descriptors:
            raise ValueError(f"the library has no class that descends from {DESCRIPTOR}")
        self.functions = set(self._makers())

    def _makers(self):
        """Functions that make descriptors, and none that we call."""
        for number in range(len(self.program.functions.begins)):
            made = self.program.tables_taken_by(number) & self.descriptors
            if made and made <= self.tables:
                yield number

    def __call__(self, node: Node) -> bool:
        kind, number, _ = node
        if kind == "table":
            return number in self.tables
        return kind == "function" and number in self.functions

    def reachable(self, roots: list[Node]) -> set[Node]:
        """What is kept, and with it what that calls by name rather than through a list."""
        while True:
            kept = self.program.reachable(roots, self)
            functions = [number for kind, number, _ in kept if kind == "function"]
            called = set().union(*map(self.program.called_by, functions)) & self.functions
            if not called:
                return kept
            self.functions -= called


def roots(program: Program, callers: list[Path]) -> list[Node]:
    """What the callers call, what runs when the library is loaded, and whatever gcc took for unlikely."""
    wanted: set[str] = set()
    for caller in callers:
        command = ["nm", "-D", "--undefined-only", "--without-symbol-versions", caller]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        wanted |= {line.split()[-1] for line in listed.splitlines()}
    library = program.library
    addresses = [address for name, address in library.functions.items() if name in wanted]
    if not addresses:
        raise ValueError(f"{', '.join(map(str, callers))}: nothing calls the library")
    ran = [s for name in (".init_array", ".fini_array") if (s := library.sections.get(name))]
    addresses += [to for place, to in library.pointers.items() if any(place in s for s in ran)]
    found = [program.node(address) for address in addresses]
    unlikely = [("function", number, "") for number in program.unlikely()]
    return [node for node in found if node is not None] + unlikely


def cut(library: Library, callers: list[Path]) -> bytes:
    """The library's file with traps in place of what the callers cannot reach."""
    program = Program(library)
    kept = Cut(program).reachable(roots(program, callers))
    content, text = bytearray(library.content), library.sections[".text"]
    for number, begin in enumerate(program.functions.begins.tolist()):
        if begin in text and ("function", number, "") not in kept:
            at, size = library.offset(begin), program.functions.size(number)
            content[at : at + size] = TRAP * size
    return bytes(content)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True, type=Path, help="libdnnl.so.2")
    parser.add_argument("--caller", required=True, type=Path, action="append", help="who calls it")
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    options.out.write_bytes(cut(Library.read(options.library), options.caller))


if __name__ == "__main__":
    main()
