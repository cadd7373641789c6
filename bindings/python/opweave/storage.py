"""Storages with a dtype, which files of PyTorch name: TypedStorage, FloatStorage and its kin."""

from opweave import _C
from opweave._C import UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def _dtypes():
    """The dtypes that have storages of their own: those that promote among themselves, by their old names."""
    for dtype in sorted((d for d in _C._dtypes if d._promotes), key=str):
        yield _C.empty(0, dtype=dtype).type().rpartition(".")[2].removesuffix("Tensor"), dtype


class TypedStorage:
    """The bytes under a tensor, seen as elements of one dtype.

    Args:
        source: how many elements, or the elements; none without it.
        wrap_storage: an UntypedStorage to look at instead.
        dtype: of the elements; that of the class for FloatStorage and its kin.
        device: where new elements lie.
    """

    _own_dtype = None
    __slots__ = ("_untyped_storage", "dtype")

    def __init__(self, source=None, *, wrap_storage=None, dtype=None, device=None):
        self.dtype = dtype or self._own_dtype or _C.get_default_dtype()
        if not isinstance(self.dtype, _C.dtype):
            raise TypeError(
                f"{type(self).__name__}: dtype must be a dtype, not {type(dtype).__name__}"
            )
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                kind = type(wrap_storage).__name__
                raise TypeError(
                    f"{type(self).__name__}: wrap_storage must be UntypedStorage, not {kind}"
                )
            self._untyped_storage = wrap_storage
        elif source is None or isinstance(source, int):
            made = _C.empty(source or 0, dtype=self.dtype, device=device)
            self._untyped_storage = made.untyped_storage()
        else:
            made = _C.tensor(list(source), dtype=self.dtype, device=device)
            self._untyped_storage = made.untyped_storage()

    @property
    def device(self):
        return self._untyped_storage.device

    def _tensor(self):
        """A tensor over all elements."""
        return self._untyped_storage._bytes()[: self.size() * self.element_size()].view(self.dtype)

    def _like(self, tensor):
        return TypedStorage(wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype)

    def untyped(self):
        """The same bytes without a dtype."""
        return self._untyped_storage

    def size(self):
        """How many elements there are."""
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    __len__ = size

    def nbytes(self):
        return self._untyped_storage.nbytes()

    def element_size(self):
        return self.dtype.itemsize

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    def tolist(self):
        return self._tensor().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        found = self._tensor()[index]
        return self._like(found.clone()) if isinstance(index, slice) else found.item()

    def __setitem__(self, index, value):
        self._tensor()[index] = value

    def fill_(self, value):
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=False):
        self._tensor().copy_(source._tensor(), non_blocking)
        return self

    def resize_(self, size):
        self._untyped_storage.resize_(size * self.element_size())
        return self

    def is_shared(self):
        """Whether other processes can map it."""
        return self._untyped_storage.is_shared()

    def share_memory_(self):
        """Moves it where other processes can map it."""
        self._untyped_storage.share_memory_()
        return self

    def clone(self):
        return self._like(self._tensor().clone())

    def cpu(self):
        return self._like(self._tensor().cpu())

    def to(self, *, device, non_blocking=False):
        """The same elements on a device; this storage itself if they are there."""
        if _C.device(device) == self.device:
            return self
        return self._like(self._tensor().to(device, non_blocking=non_blocking))

    def type(self, dtype=None, non_blocking=False):
        """Its name, or without one the elements converted to the dtype of another class."""
        if dtype is None:
            return f"opweave.{_names.get(self.dtype, 'Typed')}Storage"
        return self._like(self._tensor().to(getattr(dtype, "_own_dtype", dtype)))

    def __eq__(self, other):
        if not isinstance(other, TypedStorage):
            return NotImplemented
        return self.dtype == other.dtype and self._untyped_storage == other._untyped_storage

    def __hash__(self):
        return hash((self.dtype, self._untyped_storage))

    def __reduce__(self):
        return _rebuild, (self._untyped_storage, self.dtype)

    def __deepcopy__(self, memo):
        return memo.setdefault(id(self), self.clone())

    def __repr__(self):
        values = "".join(f" {value}\n" for value in self.tolist())
        return (
            f"{values}[opweave.storage.TypedStorage(dtype={self.dtype}, device={self.device}) "
            f"of size {self.size()}]"
        )


def _rebuild(storage, dtype):
    return TypedStorage(wrap_storage=storage, dtype=dtype)


# --- methods of UntypedStorage, which C++ finds by these names ---------------------------------------
def _untyped_clone(storage):
    return storage._bytes().clone().untyped_storage()


def _untyped_cpu(storage):
    return storage if _C._is_host(storage.device) else storage._bytes().cpu().untyped_storage()


def _untyped_to(storage, *, device, non_blocking=False):
    if _C.device(device) == storage.device:
        return storage
    return storage._bytes().to(device, non_blocking=non_blocking).untyped_storage()


def _untyped_tolist(storage):
    return storage._bytes().tolist()


def _untyped_copy_(storage, source, non_blocking=False):
    if not isinstance(source, UntypedStorage) or source.nbytes() != storage.nbytes():
        given = f"{source.nbytes()} bytes" if hasattr(source, "nbytes") else type(source).__name__
        raise RuntimeError(
            f"copy_(): a storage of {storage.nbytes()} bytes is expected, but got {given}"
        )
    storage._bytes().copy_(source._bytes(), non_blocking)
    return storage


def _untyped_fill_(storage, value):
    storage._bytes().fill_(value)
    return storage


def _untyped_element_size(storage):
    return 1


def _untyped_is_shared(storage):
    return _C._shared_place(storage) is not None


def _untyped_share_memory_(storage):
    _C._move_to_shared_memory(storage)
    return storage


def _make(name, dtype):
    doc = f"A TypedStorage of {str(dtype).rpartition('.')[2]}."
    space = {"__slots__": (), "__doc__": doc, "__module__": "opweave", "_own_dtype": dtype}
    return type(name, (TypedStorage,), space)


_names = {dtype: name for name, dtype in _dtypes()}
# By dtype: the class that stands for it in files.
_classes = {dtype: _make(f"{name}Storage", dtype) for dtype, name in _names.items()}
globals().update({cls.__name__: cls for cls in _classes.values()})
__all__ += sorted(cls.__name__ for cls in _classes.values())
