"""A shared library of x86-64 as a file: sections, symbols, and what its relocations put where."""

import bisect
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

# Relocations: an address, an address of a symbol, that in the offset table, that of a function.
RELATIVE, ABSOLUTE, GLOBAL_DATA, JUMP_SLOT = 8, 1, 6, 7
RELOCATION = np.dtype([("place", "<u8"), ("info", "<u8"), ("addend", "<i8")])
SYMBOL = struct.Struct("<IBBHQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")
NOBITS = 8


@dataclass(frozen=True)
class Section:
    address: int
    offset: int
    size: int

    def __contains__(self, address: int) -> bool:
        return self.address <= address < self.address + self.size


@dataclass
class Library:
    """
    pointers: place -> the address that the loader writes there, in the library itself.
    foreign: place -> the symbol of another library whose address is written there.
    functions: name -> address, of what the library defines and exports.
    """

    content: bytes
    sections: dict[str, Section] = field(default_factory=dict)
    pointers: dict[int, int] = field(default_factory=dict)
    foreign: dict[int, str] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._read_sections()
        symbols = list(self._symbols())
        self.functions = {name: value for name, value in symbols if value}
        for section in (".rela.dyn", ".rela.plt"):
            self._read_relocations(self.sections[section], symbols)
        loaded = (s for s in self.sections.values() if s.address and s.size)
        self._loaded = sorted(loaded, key=lambda section: section.address)

    def _read_sections(self) -> None:
        (table,) = struct.unpack_from("<Q", self.content, 0x28)
        _, count, names = struct.unpack_from("<HHH", self.content, 0x3A)
        rows = [SECTION.unpack_from(self.content, table + i * SECTION.size) for i in range(count)]
        for name, kind, _, address, offset, size, *_ in rows:
            size = 0 if kind == NOBITS else size
            self.sections[self.text(rows[names][4] + name)] = Section(address, offset, size)

    def _symbols(self):
        table, names = self.sections[".dynsym"], self.sections[".dynstr"]
        for at in range(table.offset, table.offset + table.size, SYMBOL.size):
            name, _, _, _, value, _ = SYMBOL.unpack_from(self.content, at)
            yield self.text(names.offset + name), value

    def _read_relocations(self, section: Section, symbols: list[tuple[str, int]]) -> None:
        rows = np.frombuffer(
            self.content, RELOCATION, section.size // RELOCATION.itemsize, section.offset
        )
        for place, info, addend in rows.tolist():
            kind, (name, value) = info & 0xFFFFFFFF, symbols[info >> 32]
            if kind == RELATIVE:
                self.pointers[place] = addend
            elif kind in (ABSOLUTE, GLOBAL_DATA, JUMP_SLOT) and value:
                self.pointers[place] = value + (addend if kind == ABSOLUTE else 0)
            elif kind in (ABSOLUTE, GLOBAL_DATA, JUMP_SLOT):
                self.foreign[place] = name

    def text(self, offset: int) -> str:
        """The characters at an offset of the file, up to the first zero."""
        return self.content[offset : self.content.index(b"\0", offset)].decode()

    def offset(self, address: int) -> int:
        """Where in the file that is which is loaded at `address`.

        Raises:
            ValueError: nothing of the file is.
        """
        at = bisect.bisect_right(self._loaded, address, key=lambda section: section.address) - 1
        if at < 0 or address not in self._loaded[at]:
            raise ValueError(f"nothing of the library is at {address:#x}")
        section = self._loaded[at]
        return section.offset + address - section.address

    @staticmethod
    def read(path: Path) -> "Library":
        return Library(path.read_bytes())
