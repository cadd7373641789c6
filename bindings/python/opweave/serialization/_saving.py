"""save(): an object as a pickle, and beside it the bytes of its storages, once each."""

import collections
import io
import os
import pickle
import sys

from opweave import _C
from opweave._atomic_files import replacing
from opweave._C import Tensor
from opweave.nn.parameter import Parameter
from opweave.serialization import _names, _rebuild
from opweave.serialization._archive import ArchiveWriter
from opweave.serialization._locations import location_tag
from opweave.serialization._settings import get_crc32_options, skips_data
from opweave.storage import TypedStorage, UntypedStorage, _classes

DEFAULT_PROTOCOL = 2


def save(
    obj,
    f,
    pickle_module=pickle,
    pickle_protocol=DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):
    """Saves an object, tensors and all, in a file that PyTorch reads as well.

    Tensors that share a storage share it when they are read again; it is saved once and whole. A
    path gets the new file in one step: whoever reads it, also after this process was killed, finds
    the old file or the new one.

    Args:
        obj: what to save; what is not a tensor is pickled.
        f: a path, or an object with write().
        pickle_module: whose Pickler is used.
        pickle_protocol: its protocol. PyTorch reads weights of protocol 2 only.

    Raises:
        RuntimeError: the folder does not exist; storages are seen as different dtypes; the old
            format is asked for.
        TypeError, pickle.PicklingError, AttributeError: something cannot be pickled.
        OSError: the file cannot be written. An old file at the path is as it was.
    """
    if not _use_new_zipfile_serialization:
        raise RuntimeError(
            "save(): PyTorch's format from before 1.6 is not written; leave out "
            "_use_new_zipfile_serialization=False"
        )
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if not path:
            raise RuntimeError("save(): f: expected the name of a file, got ''")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"save(): the folder {folder} of {path} does not exist")
        with replacing(path) as file:
            name = os.path.splitext(os.path.basename(path))[0]
            _write(obj, file, name, pickle_module, pickle_protocol, _disable_byteorder_record)
    elif hasattr(f, "write"):
        _write(obj, f, "archive", pickle_module, pickle_protocol, _disable_byteorder_record)
    else:
        raise AttributeError(
            f"save(): f must be a path or have a method write, and {type(f).__name__} has none"
        )


def _write(obj, file, name, pickle_module, protocol, without_byteorder):
    data, storages = _pickle(obj, pickle_module, protocol)
    archive = ArchiveWriter(file, name)
    archive.write("data.pkl", data)
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", b"64")
    if not without_byteorder:
        archive.write("byteorder", sys.byteorder.encode())
    checksums = get_crc32_options() and not skips_data()
    for key, storage in enumerate(storages):
        archive.write(f"data/{key}", _bytes_of(storage), checksums)
    archive.write("version", b"3\n")
    archive.write(".data/serialization_id", _identity(archive))
    archive.close()


def _bytes_of(storage):
    """The bytes of a storage as a buffer of host memory."""
    if skips_data():
        return bytes(storage.nbytes())
    return storage if _C._is_host(storage.device) else storage._bytes().cpu().untyped_storage()


def _identity(archive):
    """40 digits that are the same for files with the same names and contents."""
    text = 0
    for name, _, size, crc in archive.entries:
        text = (text * 1000003 + _number(name) + size * 31 + crc) % 10**40
    return f"{text:040d}".encode()


def _number(name):
    """A number of a name, the same in each process."""
    return int.from_bytes(name[-16:], "little")


def _pickle(obj, pickle_module, protocol):
    """The pickle of an object with PyTorch's names, and the storages that it refers to by their numbers."""

    class Pickler(_Pickling, pickle_module.Pickler):
        pass

    buffer = io.BytesIO()
    # Older ones say the same in other words, which no reader of strangers' files knows.
    pickler = Pickler(buffer, protocol=2 if protocol in (0, 1) else protocol)
    pickler.storages = {}
    pickler.dump(obj)
    storages = [storage for _, storage, _ in pickler.storages.values()]
    return _C._rename_globals(buffer.getbuffer(), _names.to_file), storages


class _Pickling:
    """What save() adds to a Pickler."""

    def persistent_id(self, obj):
        if type(obj) is UntypedStorage:
            return self._storage_id(obj, UntypedStorage, None, obj.nbytes())
        if isinstance(obj, TypedStorage):
            cls = _classes.get(obj.dtype, UntypedStorage)
            size = obj.size() if cls is not UntypedStorage else obj.nbytes()
            return self._storage_id(obj._untyped_storage, cls, obj.dtype, size)
        return None

    def _storage_id(self, storage, cls, dtype, size):
        """What stands for a storage in the pickle: ("storage", class, number, location, elements)."""
        key, _, before = self.storages.setdefault(
            storage._cdata, (str(len(self.storages)), storage, dtype)
        )
        if before is not dtype:
            raise RuntimeError(
                f"save(): two tensors share a storage that one sees as {before or 'bytes'} and the other as "
                f"{dtype or 'bytes'}; the file format has one dtype for each. Save a clone() of one of them"
            )
        return "storage", cls, key, location_tag(storage), size

    def reducer_override(self, obj):
        if isinstance(obj, Tensor) and type(obj).__reduce_ex__ in _OUR_REDUCE:
            return _reduce_with_attributes(obj)
        if isinstance(obj, _C.layout):
            return _rebuild._get_layout, ("torch." + str(obj).rpartition(".")[2],)
        return NotImplemented


_OUR_REDUCE = (Tensor.__reduce_ex__, Parameter.__reduce_ex__)


def _reduce_with_attributes(tensor):
    """How a tensor is made again: function and arguments, in PyTorch's terms."""
    _C._check_copied(tensor, "a file")
    cls, state = type(tensor), tensor.__dict__
    if cls is Parameter:
        arguments = (_plain(tensor.data), tensor.requires_grad, collections.OrderedDict())
        if state:
            return _rebuild._rebuild_parameter_with_state, (*arguments, dict(state))
        return _rebuild._rebuild_parameter, arguments
    function, arguments = _reduce(tensor)
    if cls is Tensor and not state:
        return function, arguments
    return _rebuild._rebuild_from_type_v2, (function, cls, arguments, dict(state))


def _plain(tensor):
    """A tensor without its class and attributes."""
    return tensor if type(tensor) is Tensor else tensor.as_subclass(Tensor)


def _reduce(tensor):
    geometry = (tuple(tensor.size()), tuple(tensor.stride()), tensor.requires_grad)
    if tensor.is_meta:
        return _rebuild._rebuild_meta_tensor_no_storage, (tensor.dtype, *geometry)
    storage = TypedStorage(wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype)
    arguments = (storage, tensor.storage_offset(), *geometry, collections.OrderedDict())
    if tensor.dtype in _classes:
        return _rebuild._rebuild_tensor_v2, arguments
    return _rebuild._rebuild_tensor_v3, (*arguments, tensor.dtype)
