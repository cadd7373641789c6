"""The functions of a library, from what its unwinder knows: symbols are stripped, frames are not."""

import struct

import numpy as np
from elf import Library

# How the tables of gcc spell addresses: relative to where they stand, in four bytes.
RELATIVE_TO_PLACE = 0x1B


def _leb128(content: bytes, at: int) -> int:
    """Where the number of variable length that begins at `at` ends."""
    while content[at] & 0x80:
        at += 1
    return at + 1


def _check_spelling(content: bytes, at: int) -> None:
    """
    Raises:
        ValueError: the description at `at` spells addresses otherwise than gcc does.
    """
    end = content.index(b"\0", at + 5)
    letters = content[at + 5 : end].decode()
    data = end + 1
    for _ in range(4):  # alignments, the register of return addresses, the length of what follows
        data = _leb128(content, data)
    for letter in letters[1:]:
        if letter == "P":
            data += 5
            continue
        if letter == "R" and content[data] != RELATIVE_TO_PLACE:
            raise ValueError(f"frames spell addresses as {content[data]:#x}")
        data += 1


class Functions:
    """Where they begin and end, in the order of addresses. A function that gcc took apart is several."""

    def __init__(self, library: Library):
        ranges = sorted(self._read(library))
        self.begins = np.array([begin for begin, _ in ranges])
        self.ends = np.array([end for _, end in ranges])

    @staticmethod
    def _read(library: Library):
        section, content = library.sections[".eh_frame"], library.content
        at, end = section.offset, section.offset + section.size
        while at < end:
            (size,) = struct.unpack_from("<I", content, at)
            if size == 0:
                return
            (of,) = struct.unpack_from("<I", content, at + 4)
            if of == 0:
                _check_spelling(content, at + 4)
            else:
                begin, length = struct.unpack_from("<iI", content, at + 8)
                begin += section.address + at + 8 - section.offset
                yield begin, begin + length
            at += 4 + size

    def at(self, addresses) -> np.ndarray:
        """The functions that addresses lie in, by number; -1 for those in none."""
        addresses = np.asarray(addresses, np.int64)
        found = np.searchsorted(self.begins, addresses, side="right") - 1
        inside = (found >= 0) & (addresses < self.ends[np.maximum(found, 0)])
        return np.where(inside, found, -1)

    def size(self, number: int) -> int:
        return int(self.ends[number] - self.begins[number])
