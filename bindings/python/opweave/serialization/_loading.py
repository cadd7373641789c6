"""load(): objects from the files that save() and PyTorch write."""

import contextlib
import io
import mmap as _mmap
import os
import pickle
import sys

from opweave import _C
from opweave.serialization import _names, _old_format
from opweave.serialization._archive import ArchiveReader
from opweave.serialization._formats import check_content, start_of
from opweave.serialization._locations import reads_no_data, restorer
from opweave.serialization._policy import WeightsOnly
from opweave.serialization._settings import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
)
from opweave.storage import TypedStorage, UntypedStorage


def load(
    f,
    map_location=None,
    pickle_module=None,
    *,
    weights_only=None,
    mmap=None,
    **pickle_load_args,
):
    """Reads what save(), here or in PyTorch, has written.

    Args:
        f: a path, or an object with read(), seek() and tell().
        map_location: on which device tensors shall be: None (where they were), a device or its
            name, a dict from names to names, or a function(storage, name) that gives a storage or None.
        pickle_module: whose Unpickler is used; only with weights_only=False.
        weights_only: True, the default: only tensors, containers, numbers, text and what
            add_safe_globals() allows are made, whoever wrote the file. False: anything, which can
            run any program; for files that you trust.
        mmap: True: tensors lie in the file, which is mapped and read when they are; for paths. The
            file must not be cut off meanwhile.
        encoding: of str from Python 2.

    Raises:
        pickle.UnpicklingError: the file asks for more than weights, its pickle is damaged, or it is no
            checkpoint, which is a RuntimeError as well.
        RuntimeError: the archive is damaged; the device is not there.
        EOFError: the file is empty.
        FileNotFoundError: there is no such file.
    """
    weights_only = _weights_only(weights_only, pickle_module)
    encoding = pickle_load_args.pop("encoding", "utf-8")
    if weights_only and pickle_load_args:
        raise TypeError(
            f"load() got an unexpected keyword argument {next(iter(pickle_load_args))!r}: with "
            "weights_only=True there is `encoding` alone beside its own"
        )
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a string or os.PathLike object to use mmap=True")
    with _opened(f) as (file, title):

        def unpickle(data, storages):
            if weights_only:
                return _load_weights(data, storages, encoding, title)
            module = pickle_module or pickle
            return _load_anything(data, storages, module, encoding, pickle_load_args)

        if start_of(file, title) == "old":
            if mmap:
                raise RuntimeError(
                    f"{title} is of the format that PyTorch wrote before version 1.6, which mmap=True does "
                    "not read: without it, or saved again, it is"
                )
            return _old_format.read(file, title, map_location, unpickle)
        with _archive_of(file, title) as archive:
            storages = _Storages(archive, map_location, _map(file) if mmap else None)
            return unpickle(archive.read("data.pkl"), storages)


@contextlib.contextmanager
def _archive_of(file, title):
    """The archive that begins where a file stands, which stands behind it then; there again on an error."""
    start = file.tell()
    try:
        archive = ArchiveReader(file, title, start)
        check_content(archive, title)
        yield archive
    except BaseException:
        file.seek(start)
        raise
    file.seek(archive.end)


def _weights_only(weights_only, pickle_module):
    forced = os.environ.get("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in (
        "1",
        "y",
        "yes",
        "true",
    )
    forbidden = os.environ.get("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in (
        "1",
        "y",
        "yes",
        "true",
    )
    if forced and forbidden:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be "
            "set, but both were set."
        )
    if weights_only is None:
        weights_only = pickle_module is None and not forbidden
    weights_only = weights_only or forced
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    return weights_only


@contextlib.contextmanager
def _opened(f):
    """A file to read from, and how messages call it."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file, os.fspath(f)
        return
    for method in ("read", "seek", "tell"):
        if not hasattr(f, method):
            raise AttributeError(
                f"load(): f must be a path or have the methods read, seek and tell, and "
                f"{type(f).__name__} has no "
                f"{method}. What cannot be read twice can be put into io.BytesIO"
            )
    yield f, f"the {type(f).__name__}"


def _map(file):
    """The whole file in memory, read as it is used."""
    shared = get_default_mmap_options() == _mmap.MAP_SHARED
    if shared:
        with open(file.name, "r+b") as writable:
            return _mmap.mmap(writable.fileno(), 0, access=_mmap.ACCESS_WRITE)
    return _mmap.mmap(file.fileno(), 0, access=_mmap.ACCESS_COPY)


class _Storages:
    """The storages of an archive, each read when its name is first met."""

    def __init__(self, archive, map_location, mapped):
        self._archive = archive
        self._restore = restorer(map_location)
        self._no_data = reads_no_data(map_location)
        self._mapped = mapped
        self._swapped = _is_swapped(archive)
        self._checksum = get_crc32_options()
        self._loaded = {}

    def load(self, name):
        """The TypedStorage of a persistent name: ("storage", class, key, location, number of elements)."""
        if not isinstance(name, tuple) or len(name) < 5 or name[0] not in ("storage", b"storage"):
            raise pickle.UnpicklingError("it refers to something that is no storage of the file")
        _, cls, key, location, elements = name[:5]
        dtype = self._dtype(cls)
        key, location = _text(key), _text(location)
        if key is None or location is None or type(elements) is not int:
            raise pickle.UnpicklingError("the name of a storage is not of strings and a number")
        if key not in self._loaded:
            self._loaded[key] = (
                self._read(f"data/{key}", dtype, elements, location),
                dtype,
                elements,
            )
        storage, first, size = self._loaded[key]
        if first is not dtype or size != elements:
            raise pickle.UnpicklingError(f"it gives the storage {key!r} two dtypes or sizes")
        return storage

    def _dtype(self, cls):
        if cls is UntypedStorage:
            return _C.uint8
        if isinstance(cls, type) and issubclass(cls, TypedStorage) and cls._own_dtype:
            return cls._own_dtype
        raise pickle.UnpicklingError("a storage is of something that is no class of storages")

    def _read(self, record, dtype, elements, location):
        """A storage, on its device."""
        size, there = elements * dtype.itemsize, self._archive.entry(record).file_size
        if not 0 <= size <= there:
            raise RuntimeError(
                f"{self._archive.title} is damaged: a storage of {elements} elements of {dtype} "
                f"takes {size} bytes, "
                f"and its record {record!r} has {there}"
            )
        storage = self._restore(self._host_storage(record, size, dtype), location)
        return TypedStorage(wrap_storage=storage, dtype=dtype)

    def _host_storage(self, record, size, dtype):
        if self._no_data:
            return _C.empty(size, dtype=_C.uint8, device="meta").untyped_storage()
        if self._mapped is not None:
            offset = self._archive.offset(record)
            if offset % dtype.itemsize == 0 and not self._swapped:
                return _C._storage_of_buffer(self._mapped, offset, size)
        storage = UntypedStorage(size)
        self._archive.read_into(record, storage, self._checksum)
        if self._swapped and dtype.itemsize > 1:
            _swap_bytes(storage, dtype.itemsize)
        return storage


def _text(name):
    """A string, also of Python 2; None for anything else."""
    if isinstance(name, bytes):
        return name.decode(errors="replace")
    return name if isinstance(name, str) else None


def _is_swapped(archive):
    """Whether the file is of a processor with another order of bytes."""
    if "byteorder" in archive:
        order = archive.read("byteorder")
        if order not in (b"little", b"big"):
            raise ValueError(
                f"{archive.title} has the byte order {order[:20]!r}; little or big is expected"
            )
        return order.decode() != sys.byteorder
    default = get_default_load_endianness()
    return (
        default in (LoadEndianness.LITTLE, LoadEndianness.BIG)
        and default.name.lower() != sys.byteorder
    )


def _swap_bytes(storage, size):
    swapped = storage._bytes().view(-1, size).flip(1).reshape(-1)
    storage._bytes().copy_(swapped)


def _load_weights(data, storages, encoding, title):
    try:
        return _C._unpickle(data, WeightsOnly(storages.load), encoding)
    except (pickle.UnpicklingError, UnicodeDecodeError) as error:
        raise pickle.UnpicklingError(
            f"Weights only load failed: {title} cannot be read for its weights alone: {error}. If "
            "you trust whoever made the file, weights_only=False reads whatever is in it, which can "
            "run any program."
        ) from None


def _load_anything(data, storages, pickle_module, encoding, arguments):
    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module, name):
            found = _names.from_file(module, name)
            return super().find_class(module, name) if found is None else found

        def persistent_load(self, name):
            return storages.load(name)

    return Unpickler(io.BytesIO(data), encoding=encoding, **arguments).load()


def get_unsafe_globals_in_checkpoint(f):
    """The classes and functions that a file names and load(weights_only=True) does not make, as
    "module.name".

    Args:
        f: as for load(). Nothing of it is executed.
    """
    with _opened(f) as (file, title):
        policy, unsafe, start = WeightsOnly(None), [], file.tell()
        if start_of(file, title) == "old":
            pickled = _old_format.saved_pickle(file, title)
        else:
            with _archive_of(file, title) as archive:
                pickled = archive.read("data.pkl")
        file.seek(start)  # load() comes next

        def look_at(module, name):
            try:
                policy.find_class(module, name)
            except pickle.UnpicklingError:
                unsafe.append(f"{module}.{name}")
            return module, name

        _C._rename_globals(pickled, look_at)
        return unsafe
