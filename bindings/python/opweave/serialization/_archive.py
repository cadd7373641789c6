"""The zip archives that files of PyTorch are: records as they are in memory, at multiples of 64 bytes."""

import io
import os
import re
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
_END = struct.Struct("<4s4H2LH")


# A processor may have instructions for it that zlib does not use.
_crc32 = zlib.crc32 if _C._crc32(b"", 0) is None else _C._crc32


def write_all(file, data):
    """Writes all of the bytes: a file without a buffer may take some of them at a time.

    Raises:
        OSError: it takes none.
    """
    view = memoryview(data).cast("B")
    while len(view):
        taken = file.write(view)
        if taken is None and isinstance(file, io.RawIOBase):
            taken = 0  # it would block
        if not isinstance(taken, int) or taken >= len(view):
            return  # of an object that does not say how many, all
        if taken <= 0:
            raise OSError(
                f"save(): {type(file).__name__}.write() took {taken} of {len(view)} bytes, and the others "
                "have no place"
            )
        view = view[taken:]


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
        write_all(self._file, data)
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
        self._write(b"".join(_central(*entry) for entry in self.entries))
        self._write(_end(len(self.entries), start, self._position - start))


def _central(name, start, size, crc):
    """A line of the directory."""
    wide = [n for n in (size, size, start) if n >= _LIMIT_32]
    extra = struct.pack(f"<2H{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
    version = 45 if wide else 20
    sizes, lengths = (min(size, _LIMIT_32),) * 2, (len(name), len(extra))
    fields = (version, version, _FLAGS, 0, 0, _DAY, crc, *sizes, *lengths, 0, 0, 0, 0)
    return _CENTRAL.pack(b"PK\1\2", *fields, min(start, _LIMIT_32)) + name + extra


def _end(count, start, size):
    """The end of the directory, with the numbers that take 64 bits before it where there are such."""
    wide = b""
    if count >= 0xFFFF or start >= _LIMIT_32 or size >= _LIMIT_32:
        wide = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
        wide += struct.pack("<4sLQL", b"PK\6\7", 0, start + size, 1)
    n = min(count, 0xFFFF)
    sizes = (min(size, _LIMIT_32), min(start, _LIMIT_32))
    return wide + _END.pack(b"PK\5\6", 0, 0, n, n, *sizes, 0)


class ArchiveReader:
    """The records of an archive, by their names below its folder.

    Memory stays in proportion to the file: records that are read are not compressed, none is named
    twice, and together they are not larger than the file.

    Args:
        file: of which the archive begins at byte `start`; others may be before and behind it.
        title: how messages call it.
        start: where it begins.

    Raises:
        RuntimeError: it is damaged, or not such an archive.
    """

    def __init__(self, file, title, start=0):
        self._file = file
        self.title = title
        self._length = self.end = _length_of(file)
        entries = self._directory()
        if entries and min(entry.header_offset for entry in entries) != start:
            # The directory at the end of the file is that of another archive.
            end = _end_of_archive(file, start)
            if end is None:
                raise RuntimeError(
                    f"{title} is damaged: an archive begins at byte {start}, and the directory at the end of "
                    "the file is of another one"
                )
            self._file, self.end = Part(file, start, end), end
            self._length = _length_of(self._file)
            entries = self._directory()
        self.records = self._check(entries)

    def _directory(self):
        try:
            with zipfile.ZipFile(self._file) as archive:
                return archive.infolist()
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            ValueError,
            struct.error,
            EOFError,
        ) as error:
            raise RuntimeError(
                f"{self.title} is damaged or was cut off: it begins as a zip archive, but its directory "
                f"cannot be read "
                f"({error})"
            ) from None

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
    """Whether a file goes on as one; leaves it where it is."""
    at = file.tell()
    start = file.read(4)
    file.seek(at)
    return start == b"PK\3\4"


def _length_of(file):
    # Not every seek() says where it has gone to.
    file.seek(0, os.SEEK_END)
    return file.tell()


def _end_of_archive(file, start):
    """Where the archive ends that begins at `start`, of a file that has several; None if it has no end."""
    at, kept = start, b""
    while True:
        file.seek(at)
        new = file.read(_CHUNK)
        if not new:
            return None
        chunk, base = kept + new, at - len(kept)
        for found in re.finditer(re.escape(b"PK\5\6"), chunk):
            if end := _end_at(chunk, found.start(), base - start):
                return base + end
        kept = chunk[-_END.size :]
        at += len(new)


def _end_at(chunk, place, base):
    """Where the directory's last line ends that is at `place`, if its archive begins at -`base`."""
    if place + _END.size > len(chunk):
        return None
    *_, size, offset, comment = _END.unpack_from(chunk, place)
    return place + _END.size + comment if base + place - size == offset else None


class Part(io.RawIOBase):
    """Bytes [start, end) of a file as a file."""

    def __init__(self, file, start, end):
        self._file, self._start, self._size, self._at = file, start, end - start, 0

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, offset, whence=os.SEEK_SET):
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")[: max(0, self._size - self._at)]
        self._file.seek(self._start + self._at)
        got = _read_into(self._file, view)
        self._at += got
        return got
