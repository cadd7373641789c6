"""The zip archives that files of PyTorch are: records as they are in memory, at multiples of 64 bytes."""

import os
import struct
import zipfile
import zlib

from opweave import _C

_ALIGNMENT = 64
_CHUNK = 1 << 18  # what stays in the processor's cache between the checksum and the copy
_LIMIT_32 = 0xFFFFFFFF
_DAY = 0x21  # the first that zip archives know, so that the same objects make the same file
_FLAGS = 0x0808  # the checksum and the sizes follow the data; names are UTF-8
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")


# A processor may have instructions for it that zlib does not use.
_crc32 = zlib.crc32 if _C._crc32(b"", 0) is None else _C._crc32


class ArchiveWriter:
    """Writes records one after the other, so that any object with write() will do.

    Args:
        file: where to; what was written to it before is left alone.
        name: the folder of all records.
    """

    def __init__(self, file, name):
        self._file = file
        self._name = name
        self._position = 0
        self.entries = []  # of each record: its full name, where it begins, its size and checksum

    def _write(self, data):
        self._file.write(data)
        self._position += len(data)

    def write(self, record, data, checksum=True):
        """Adds a record of the bytes of a buffer, with its CRC-32 or 0 for it."""
        data = memoryview(data).cast("B")
        name = f"{self._name}/{record}".encode()
        start, big = self._position, len(data) >= _LIMIT_32
        sizes = (_LIMIT_32, _LIMIT_32) if big else (0, 0)
        extra = self._extra(len(name), big)
        self._write(
            _LOCAL.pack(
                b"PK\3\4", 45 if big else 20, _FLAGS, 0, 0, 0x21, 0, *sizes, len(name), len(extra)
            )
            + name
            + extra
        )
        crc = self._write_data(data, checksum)
        self._write(
            struct.pack("<4sL2Q" if big else "<4s3L", b"PK\7\10", crc, len(data), len(data))
        )
        self.entries.append((name, start, len(data), crc))

    def _extra(self, name_length, big):
        """Fields before the data: the sizes that take 64 bits, and padding up to the alignment."""
        sizes = struct.pack("<2H2Q", 1, 16, 0, 0) if big else b""
        at = self._position + _LOCAL.size + name_length + len(sizes) + 4
        padding = -at % _ALIGNMENT
        return sizes + struct.pack("<2s H", b"FB", padding) + b"Z" * padding

    def _write_data(self, data, checksum):
        crc = 0
        for start in range(0, len(data), _CHUNK):
            chunk = data[start : start + _CHUNK]
            if checksum:
                crc = _crc32(chunk, crc)
            self._write(chunk)
        return crc

    def close(self):
        """Writes the directory. Without it the file is no archive."""
        start = self._position
        self._file.write(b"".join(_central(*entry) for entry in self.entries))
        size = sum(_central_size(*entry) for entry in self.entries)
        self._position += size
        self._file.write(_end(len(self.entries), start, size))


def _central(name, start, size, crc):
    """A line of the directory."""
    wide = [n for n in (size, size, start) if n >= _LIMIT_32]
    extra = struct.pack(f"<2H{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
    version = 45 if wide else 20
    sizes, lengths = (min(size, _LIMIT_32),) * 2, (len(name), len(extra))
    fields = (version, version, _FLAGS, 0, 0, _DAY, crc, *sizes, *lengths, 0, 0, 0, 0)
    return _CENTRAL.pack(b"PK\1\2", *fields, min(start, _LIMIT_32)) + name + extra


def _central_size(name, start, size, crc):
    wide = 2 * (size >= _LIMIT_32) + (start >= _LIMIT_32)
    return _CENTRAL.size + len(name) + (4 + 8 * wide if wide else 0)


def _end(count, start, size):
    """The end of the directory, with the numbers that take 64 bits before it where there are such."""
    wide = b""
    if count >= 0xFFFF or start >= _LIMIT_32 or size >= _LIMIT_32:
        wide = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
        wide += struct.pack("<4sLQL", b"PK\6\7", 0, start + size, 1)
    n = min(count, 0xFFFF)
    sizes = (min(size, _LIMIT_32), min(start, _LIMIT_32))
    return wide + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, n, n, *sizes, 0)


class ArchiveReader:
    """The records of an archive, by their names below its folder.

    Memory stays in proportion to the file: records that are read are not compressed, none is named
    twice, and together they are not larger than the file.

    Raises:
        RuntimeError: it is damaged, or not such an archive.
    """

    def __init__(self, file, title):
        self._file = file
        self.title = title
        self._length = file.seek(0, os.SEEK_END)
        try:
            with zipfile.ZipFile(file) as archive:
                entries = archive.infolist()
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            ValueError,
            struct.error,
            EOFError,
        ) as error:
            raise RuntimeError(
                f"{title} is damaged or was cut off: it begins as a zip archive, but its directory "
                f"cannot be read "
                f"({error})"
            ) from None
        self.records = self._check(entries)

    def _check(self, entries):
        """The entries by name, without the folder that they are all in."""
        if not entries:
            raise RuntimeError(f"{self.title} is an empty zip archive")
        folder = entries[0].filename.partition("/")[0] + "/"
        records = {}
        for entry in entries:
            name = entry.filename.removeprefix(folder)
            if name in records:
                self._refuse(name, "is there twice")
            records[name] = entry
        total = sum(entry.compress_size for entry in entries)
        if total > self._length:
            raise RuntimeError(
                f"{self.title} is damaged: its records are {total} bytes together, and it has {self._length}"
            )
        return records

    def _refuse(self, name, why):
        raise RuntimeError(f"{self.title} is damaged: its record {name!r} {why}")

    def __contains__(self, name):
        return name in self.records

    def entry(self, name):
        """The directory's line about a record."""
        entry = self.records.get(name)
        if entry is None:
            raise RuntimeError(f"{self.title} is damaged: it lacks the record {name!r}")
        if entry.compress_type or entry.flag_bits & 1:
            self._refuse(name, "is compressed or encrypted; those of checkpoints are neither")
        if entry.file_size != entry.compress_size:
            self._refuse(name, "has two sizes")
        return entry

    def offset(self, name):
        """Where the data of a record begin."""
        entry = self.entry(name)
        self._file.seek(entry.header_offset)
        header = self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
            self._refuse(
                name, f"does not begin where the directory says, at byte {entry.header_offset}"
            )
        *_, name_length, extra_length = _LOCAL.unpack(header)
        start = entry.header_offset + _LOCAL.size + name_length + extra_length
        if start + entry.file_size > self._length:
            self._refuse(name, f"of {entry.file_size} bytes reaches beyond the end of the file")
        return start

    def read(self, name):
        """The bytes of a record."""
        data = bytearray(self.entry(name).file_size)
        self.read_into(name, data)
        return bytes(data)

    def read_into(self, name, buffer, checksum=True):
        """Fills a buffer with the first bytes of a record; checks them if it takes all."""
        entry, view = self.entry(name), memoryview(buffer).cast("B")
        self._file.seek(self.offset(name))
        crc = 0
        checksum = checksum and entry.CRC != 0 and len(view) == entry.file_size
        for start in range(0, len(view), _CHUNK):
            chunk = view[start : start + _CHUNK]
            self._fill(name, chunk)
            if checksum:
                crc = _crc32(chunk, crc)
        if checksum and crc != entry.CRC:
            self._refuse(
                name,
                f"has the checksum {crc:#010x}, and the directory says {entry.CRC:#010x}. If it was "
                f"written without "
                "checksums, serialization.set_crc32_options(False) leaves them unchecked",
            )

    def _fill(self, name, view):
        while len(view):
            got = _read_into(self._file, view)
            if not got:
                self._refuse(name, "ends too early")
            view = view[got:]


def _read_into(file, view):
    if hasattr(file, "readinto"):
        return file.readinto(view)
    data = file.read(len(view))
    view[: len(data)] = data
    return len(data)


def looks_like_archive(file):
    """Whether a file begins as one; leaves it at its beginning."""
    file.seek(0)
    start = file.read(4)
    file.seek(0)
    return start == b"PK\3\4"
