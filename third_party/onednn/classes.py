"""The classes of a library of C++ with virtual functions: names, bases, tables (the Itanium C++ ABI, 2.9)."""

import struct
from dataclasses import dataclass

from elf import Library

_PREFIX = "_ZTVN10__cxxabiv1"
_ONE_BASE, _SEVERAL_BASES = f"{_PREFIX}20__si_class", f"{_PREFIX}21__vmi_class"


@dataclass(frozen=True)
class Table:
    """A table of virtual functions, which ends before the address `end`; `info` is its class's."""

    info: int
    functions: tuple[int, ...]
    end: int


class Classes:
    """
    names: address of a class's description -> its mangled name.
    tables: the address that objects point to -> the table, with those of further bases, which stand behind it
        and are found from it.
    """

    def __init__(self, library: Library):
        self._library = library
        infos = [p for p, name in library.foreign.items() if name.startswith(_PREFIX)]
        self.names = {
            info: library.text(library.offset(library.pointers[info + 8]))
            for info in infos
            if info + 8 in library.pointers
        }
        self.tables: dict[int, Table] = {}
        last = 0
        for place, table in self._parts():
            if self._is_further(place):
                first = self.tables[last]
                table = Table(first.info, first.functions + table.functions, table.end)
            else:
                last = place
            self.tables[last] = table

    def _parts(self):
        for place, info in sorted(self._library.pointers.items()):
            if info not in self.names or place in self.names or place - 8 in self._library.pointers:
                continue
            functions, end = [], place + 8
            while (code := self._function(end)) is not None:
                functions += [code] if code else []
                end += 8
            if end > place + 8:
                yield place + 8, Table(info, tuple(functions), end)

    def _is_further(self, place: int) -> bool:
        """Whether a table is of a base that does not begin where the object does."""
        at = self._library.offset(place - 16)
        return self._library.content[at : at + 8] != bytes(8)

    def _function(self, place: int) -> int | None:
        """The address of a function in a table; 0 for one of another library; None where it ends."""
        code = self._library.pointers.get(place)
        if code is not None and code in self._library.sections[".text"]:
            return code
        return 0 if self._library.foreign.get(place, "").startswith("__cxa_") else None

    def bases(self, info: int) -> list[int]:
        """The descriptions of direct bases."""
        kind, at = self._library.foreign[info], [info + 16]
        if kind.startswith(_SEVERAL_BASES):
            (count,) = struct.unpack_from(
                "<I", self._library.content, self._library.offset(info) + 20
            )
            at = [info + 24 + 16 * i for i in range(count)]
        elif not kind.startswith(_ONE_BASE):
            return []
        found = (self._library.pointers.get(place) for place in at)
        return [base for base in found if base in self.names]

    def ancestors(self, info: int) -> set[str]:
        """The names of all bases, direct or not."""
        found: set[str] = set()
        for base in self.bases(info):
            found |= {self.names[base]} | self.ancestors(base)
        return found
