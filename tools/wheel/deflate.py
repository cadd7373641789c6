"""Files packed by libdeflate: 3% smaller than zlib's, in the same format."""

import ctypes
import zipfile
from contextlib import AbstractContextManager
from unittest import mock

# Of 12; the two above pack 0.2% smaller in up to twice the time.
LEVEL = 10


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL("libdeflate.so.0")
    library.libdeflate_alloc_compressor.restype = ctypes.c_void_p
    library.libdeflate_alloc_compressor.argtypes = [ctypes.c_int]
    library.libdeflate_free_compressor.argtypes = [ctypes.c_void_p]
    library.libdeflate_deflate_compress_bound.restype = ctypes.c_size_t
    library.libdeflate_deflate_compress_bound.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.libdeflate_deflate_compress.restype = ctypes.c_size_t
    text, size = ctypes.c_char_p, ctypes.c_size_t
    library.libdeflate_deflate_compress.argtypes = [ctypes.c_void_p, text, size, text, size]
    return library


def deflated(content: bytes) -> bytes:
    """`content` in the raw format of RFC 1951.

    Raises:
        OSError: libdeflate is not installed (`./dev` installs it).
    """
    library = _library()
    compressor = library.libdeflate_alloc_compressor(LEVEL)
    room = library.libdeflate_deflate_compress_bound(compressor, len(content))
    out = ctypes.create_string_buffer(room)
    size = library.libdeflate_deflate_compress(compressor, content, len(content), out, room)
    library.libdeflate_free_compressor(compressor)
    return ctypes.string_at(out, size)


class _Whole:
    """What zipfile asks of a compressor, for members that are written at once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def compress(self, part: bytes) -> bytes:
        self._parts.append(part)
        return b""

    def flush(self) -> bytes:
        return deflated(b"".join(self._parts))


def used_by_zipfile() -> AbstractContextManager[object]:
    """Within, zipfile writes members of ZIP_DEFLATED by libdeflate; it has no other place to say so."""
    own = vars(zipfile)["_get_compressor"]

    def chosen(kind: int, level: int | None = None) -> object:
        return _Whole() if kind == zipfile.ZIP_DEFLATED else own(kind, level)

    return mock.patch.object(zipfile, "_get_compressor", chosen)
