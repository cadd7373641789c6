"""What of a library can be reached from some of its functions, by the addresses in its code and data."""

import bisect
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from classes import Classes
from elf import Library
from frames import Functions

# Functions are aligned to it; what gcc set apart as unlikely, and put in front, is not.
ALIGNMENT, ENOUGH = 16, 64
# A function by its number, a table by its address, and data by its section and the table in front of it.
Node = tuple[str, int, str]


class Program:
    """The references between functions, tables of virtual functions, and other data of a library."""

    def __init__(self, library: Library):
        self.library, self.functions, self.classes = library, Functions(library), Classes(library)
        self._tables = sorted(self.classes.tables)
        self._ends = [self.classes.tables[table].end for table in self._tables]
        self._places = sorted(library.pointers)
        self._stubs = [s for name in (".plt", ".plt.got") if (s := library.sections.get(name))]
        self._nodes: dict[int, Node | None] = {}
        self._read_code()

    def _read_code(self) -> None:
        """Finds every four bytes that may be an address relative to what follows.

        Such stand in calls, jumps, and operands without a register. Some are found by chance, none is missed:
        what leads into the middle of a function leads there from its own parts, and of these the unlikely
        ones are all kept.
        """
        text = self.library.sections[".text"]
        code = np.frombuffer(self.library.content, np.uint8, text.size, text.offset)
        before, last = code[:-5], code[1:-4]
        jump = (last == 0xE8) | (last == 0xE9) | ((before == 0x0F) & (last & 0xF0 == 0x80))
        at = np.flatnonzero(jump | (last & 0xC7 == 0x05)) + 2
        parts = np.stack([code[at + i] for i in range(4)], axis=1)
        targets = (
            text.address + at + 4 + np.ascontiguousarray(parts).view("<i4")[:, 0].astype(np.int64)
        )
        users = self.functions.at(text.address + at)
        kept = (users >= 0) & (targets > 0)
        starts = np.isin(targets, self.functions.begins) | (self.functions.at(targets) < 0)
        kept &= starts | self._is_stub(targets)
        order = np.argsort(users[kept], kind="stable")
        self._targets, self._calls = targets[kept][order], jump[at - 2][kept][order]
        # lea place(%rip), %register
        rex = code[np.maximum(at - 3, 0)]
        self._takes = ((code[at - 2] == 0x8D) & ((rex == 0x48) | (rex == 0x4C)))[kept][order]
        self._first = np.searchsorted(users[kept][order], np.arange(len(self.functions.begins) + 1))

    def _is_stub(self, addresses: np.ndarray) -> np.ndarray:
        found = np.zeros(len(addresses), bool)
        for stubs in self._stubs:
            found |= (addresses >= stubs.address) & (addresses < stubs.address + stubs.size)
        return found

    def unlikely(self) -> range:
        """The functions, and parts of functions, that gcc put in front of all others."""
        text = self.library.sections[".text"]
        first = int(np.searchsorted(self.functions.begins, text.address))
        loose = np.flatnonzero(self.functions.begins[first:] % ALIGNMENT) + first
        end = first
        for number in loose.tolist():
            if number - end > ENOUGH:
                break
            end = number + 1
        return range(first, end)

    def node(self, address: int) -> Node | None:
        """None for what leads nowhere: constants, zeros, other libraries."""
        if address not in self._nodes:
            self._nodes[address] = self._node(address)
        return self._nodes[address]

    def _node(self, address: int) -> Node | None:
        sections = self.library.sections
        if address in sections[".text"]:
            number = int(self.functions.at([address])[0])
            return ("function", number, "") if number >= 0 else None
        if any(address in stubs for stubs in self._stubs):
            return self._behind_stub(address)
        if address in sections[".got"]:
            return self.node(self.library.pointers.get(address & ~7, 0))
        for name in (".data.rel.ro", ".data"):
            if address in sections[name]:
                return self._in_data(address, name)
        return None

    def _behind_stub(self, address: int) -> Node | None:
        at = self.library.offset(address)
        if self.library.content[at : at + 2] != b"\xff\x25":  # jmp *place(%rip)
            return None
        offset = int.from_bytes(self.library.content[at + 2 : at + 6], "little", signed=True)
        return self.node(self.library.pointers.get(address + 6 + offset, 0))

    def _in_data(self, address: int, section: str) -> Node:
        # Two words stand in front of what objects point to.
        before = bisect.bisect_right(self._tables, address + 16) - 1
        if before >= 0 and self._tables[before] - 16 <= address < self._ends[before]:
            return ("table", self._tables[before], "")
        return ("data", before, section)

    def used_by(self, node: Node) -> Iterator[Node]:
        """What a node has the addresses of."""
        kind, number, _ = node
        if kind == "function":
            addresses = np.unique(
                self._targets[self._first[number] : self._first[number + 1]]
            ).tolist()
        elif kind == "table":
            addresses = self.classes.tables[number].functions
        else:
            addresses = self._pointers_in(node)
        return (used for address in addresses if (used := self.node(address)) is not None)

    def _pointers_in(self, node: Node) -> list[int]:
        _, before, name = node
        section = self.library.sections[name]
        begin, end = section.address, section.address + section.size
        inside = [table for table in self._tables if table in section]
        if before >= 0 and self._tables[before] in section:
            begin = self._ends[before]
        following = bisect.bisect_right(inside, begin)
        if following < len(inside):
            end = inside[following] - 16
        places = self._places[
            bisect.bisect_left(self._places, begin) : bisect.bisect_left(self._places, end)
        ]
        return [self.library.pointers[place] for place in places]

    def called_by(self, number: int) -> set[int]:
        """The functions that a function calls or jumps to by name, and some more by chance."""
        return self._of_kind("function", number, self._calls)

    def tables_taken_by(self, number: int) -> set[int]:
        """The tables of the objects that a function makes or ends: none that is found by chance."""
        return self._of_kind("table", number, self._takes)

    def _of_kind(self, kind: str, number: int, chosen: np.ndarray) -> set[int]:
        part = slice(self._first[number], self._first[number + 1])
        found = (self.node(address) for address in self._targets[part][chosen[part]].tolist())
        return {used[1] for used in found if used is not None and used[0] == kind}

    def reachable(self, roots: Iterable[Node], is_cut: Callable[[Node], bool]) -> set[Node]:
        """Everything that the roots lead to by ways that no node which is cut is part of."""
        seen: set[Node] = set()
        ahead = [root for root in roots if not is_cut(root)]
        while ahead:
            node = ahead.pop()
            if node in seen:
                continue
            seen.add(node)
            ahead += [used for used in self.used_by(node) if used not in seen and not is_cut(used)]
        return seen
