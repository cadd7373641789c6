"""The format that PyTorch wrote before version 1.6: five pickles, and then the bytes of the storages.

The pickles are a number, the version of the format, facts about the processor, what was saved, and the keys
of the storages in the order in which their bytes follow: of each the number of its elements and these.
"""

import os
import pickle
import pickletools
import sys

from opweave import _C
from opweave.serialization._locations import reads_no_data, restorer
from opweave.serialization._policy import WeightsOnly
from opweave.storage import TypedStorage, UntypedStorage

_VERSION = 1001
_CHUNK = 1 << 18
_COUNT = 8  # bytes of a number of elements


class _Limited:
    """A file from which nothing is read beyond its end, whatever is asked for: for pickletools."""

    def __init__(self, file):
        self._file = file
        at = file.tell()
        file.seek(0, os.SEEK_END)  # not every seek() says where it has gone to
        self.end = file.tell()
        file.seek(at)
        self.tell = file.tell

    def left(self):
        """How many bytes follow."""
        return self.end - self._file.tell()

    def read(self, size):
        """As many bytes, or what is left."""
        return self._file.read(max(0, min(size, self.left())))

    def readline(self):
        """Up to the end of a line. Files need not have the method."""
        at, parts, size = self._file.tell(), [], 128
        while more := self.read(size):
            end = more.find(b"\n") + 1
            parts.append(more[: end or None])
            if end:
                break
            size = min(2 * size, _CHUNK)
        line = b"".join(parts)
        self._file.seek(at + len(line))
        return line


def _next_pickle(file, title):
    """The bytes of the pickle that begins where a file stands, which stands behind it then.

    Raises:
        EOFError: the file is at its end.
        UnpicklingError: it is damaged.
    """
    start = file.tell()
    if not file.left():
        raise EOFError(
            f"{title} is damaged or was cut off: it ends at byte {start}, where a pickle begins"
        )
    try:
        for _ in pickletools.genops(file):
            pass
    except ValueError as error:
        raise pickle.UnpicklingError(
            f"{title} is damaged or was cut off: the pickle at byte {start} cannot be read ({error})"
        ) from None
    size = file.tell() - start
    file._file.seek(start)
    return file.read(size)


def _plain(data):
    """What a pickle of numbers and text is."""
    return _C._unpickle(data, WeightsOnly(None), "utf-8")


def saved_pickle(file, title):
    """The pickle of what was saved. The file stands behind it then.

    Raises:
        RuntimeError: of another version.
    """
    limited = _Limited(file)
    _next_pickle(limited, title)  # by which it was known
    version = _plain(_next_pickle(limited, title))
    if version != _VERSION:
        raise RuntimeError(
            f"{title} is of version {version!r} of the format that PyTorch wrote before 1.6; {_VERSION} is "
            "read"
        )
    _next_pickle(limited, title)  # of the processor: numbers have the same bytes on all of them
    return _next_pickle(limited, title)


def read(file, title, map_location, unpickle):
    """What is saved in a file that begins where `file` stands, which stands behind it then.

    Args:
        unpickle: from the bytes of a pickle and its storages to what it says.

    Raises:
        EOFError, RuntimeError, UnpicklingError: it is damaged or was cut off.
    """
    start = file.tell()
    try:
        data = saved_pickle(file, title)
        storages = _Storages(_Limited(file), title, map_location)
        found = unpickle(data, storages)
        storages.fill(_plain(_next_pickle(_Limited(file), title)))
        return found
    except BaseException:
        file.seek(start)
        raise


class _Storages:
    """The storages that a pickle names: made when it does, and filled with what follows it."""

    def __init__(self, file, title, map_location):
        self._file, self._title = file, title
        self._restore = restorer(map_location)
        self._no_data = reads_no_data(map_location)
        self._left = file.left()
        self._made = {}  # by key: the host's storage, that of its device, the dtype, the number of elements
        self._views = {}

    def load(self, name):
        """Of a persistent name: ("storage", class, key, location, elements, view), where a view is None or
        (key, first element, elements). Or a class with its text: ("module", class, file, text)."""
        size = len(name) if isinstance(name, tuple) else 0
        if size == 4 and _text(name[0]) == "module" and isinstance(name[1], type):
            return name[1]
        if size not in (5, 6) or _text(name[0]) != "storage":
            raise pickle.UnpicklingError("it refers to something that is no storage of the file")
        cls, key, location, elements = name[1], _text(name[2]), _text(name[3]), name[4]
        if key is None or location is None or type(elements) is not int:
            raise pickle.UnpicklingError("the name of a storage is not of strings and a number")
        if key not in self._made:
            self._made[key] = self._new(_dtype_of(cls), elements, location)
        _, storage, dtype, known = self._made[key]
        if dtype is not _dtype_of(cls) or known != elements:
            raise pickle.UnpicklingError(f"it gives the storage {key!r} two dtypes or sizes")
        view = name[5] if size == 6 else None
        if view is not None:
            storage = self._view(key, storage, dtype, view)
        return TypedStorage(wrap_storage=storage, dtype=dtype)

    def _new(self, dtype, elements, location):
        size = elements * dtype.itemsize
        if not 0 <= size <= self._left - _COUNT:
            raise RuntimeError(
                f"{self._title} is damaged or was cut off: a storage of {elements} elements of {dtype} takes "
                f"{size} bytes, and {max(0, self._left - _COUNT)} are left for it"
            )
        self._left -= size + _COUNT
        if self._no_data:
            host = _C.empty(size, dtype=_C.uint8, device="meta").untyped_storage()
        else:
            host = UntypedStorage(size)
        return host, self._restore(host, location), dtype, elements

    def _view(self, key, storage, dtype, view):
        """A part of a storage, as old versions had for views of tensors."""
        if not isinstance(view, tuple) or len(view) != 3 or type(view[1:][0]) is not int:
            raise pickle.UnpicklingError("a view of a storage is not of a key and two numbers")
        _, first, elements = view
        size = storage.nbytes() // dtype.itemsize
        if type(elements) is not int or not 0 <= first <= first + elements <= size:
            raise pickle.UnpicklingError(
                f"a view of elements {first} to {first!r} + {elements!r} of a storage of {size}"
            )
        place = key, view[0] if isinstance(view[0], (str, bytes, int)) else None, first, elements
        if place not in self._views:
            start = first * dtype.itemsize
            self._views[place] = storage[start : start + elements * dtype.itemsize]
        return self._views[place]

    def fill(self, keys):
        """Reads the bytes of all storages, of which `keys` says the order."""
        if not isinstance(keys, list) or not all(isinstance(key, (str, bytes)) for key in keys):
            raise pickle.UnpicklingError(
                f"{self._title} is damaged: it has no list of its storages"
            )
        names = [_text(key) for key in keys]
        if len(set(names)) != len(names) or set(names) != set(self._made):
            raise RuntimeError(
                f"{self._title} is damaged: it names the storages {sorted(self._made)}, and says that those "
                f"of {sorted(names)} follow"
            )
        for name in names:
            self._fill(name, *self._made[name])

    def _fill(self, key, host, storage, dtype, elements):
        counted = int.from_bytes(self._file.read(_COUNT), "little", signed=True)
        if counted != elements or self._file.left() < host.nbytes():
            raise RuntimeError(
                f"{self._title} is damaged or was cut off: its storage {key!r} has {elements} elements of "
                f"{dtype}, and at byte {self._file.tell()} follow {counted} in {self._file.left()} bytes"
            )
        if self._no_data:
            self._file._file.seek(self._file.tell() + host.nbytes())
            return
        view = memoryview(host).cast("B") if host.nbytes() else memoryview(b"")
        for start in range(0, len(view), _CHUNK):
            part = view[start : start + _CHUNK]
            part[:] = self._file.read(len(part))
        if sys.byteorder == "big" and dtype.itemsize > 1:
            host.byteswap(dtype)
        if storage is not host:
            storage.copy_(host)


def _text(name):
    """A string, also of Python 2; None for anything else."""
    if isinstance(name, bytes):
        return name.decode(errors="replace")
    if isinstance(name, int):
        return str(name)
    return name if isinstance(name, str) else None


def _dtype_of(cls):
    if isinstance(cls, type) and issubclass(cls, TypedStorage) and cls._own_dtype:
        return cls._own_dtype
    raise pickle.UnpicklingError("a storage is of something that is no class of storages")
