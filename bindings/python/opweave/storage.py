"""Storages with a dtype, which files of PyTorch name: TypedStorage, FloatStorage and its kin."""

import numbers

from opweave import _C
from opweave._C import UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def _dtypes():
    """The dtypes that have storages of their own, by their old names: those of `all`, and complex ones."""
    for dtype in sorted((d for d in _C._dtypes if d._promotes or d.is_complex), key=str):
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
        if self._own_dtype is not None and dtype not in (None, self._own_dtype):
            raise TypeError(
                f"{type(self).__name__}: has elements of {self._own_dtype}, not of {dtype}"
            )
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
        elif source is None or isinstance(source, numbers.Integral):
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

    def _checked(self, index):
        """The index of one element, or a slice of them."""
        if isinstance(index, slice):
            return index
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return index

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._tensor()[self._checked(index)].item()

    def __setitem__(self, index, value):
        self._tensor()[self._checked(index)] = value

    def fill_(self, value):
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=False):
        if isinstance(source, UntypedStorage):
            self._untyped_storage.copy_(source, non_blocking)
        else:
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

    def cuda(self, device=None, non_blocking=False):
        """The same elements on a CUDA device."""
        return self._like(self._tensor().cuda(device, non_blocking))

    def pin_memory(self, device=None):
        """The same elements in host memory that a device reads directly."""
        return self._like(self._tensor().pin_memory())

    def is_pinned(self, device=None):
        """Whether a device reads it directly."""
        return self._untyped_storage.is_pinned(device)

    def resizable(self):
        """Whether resize_() can be called."""
        return self._untyped_storage.resizable()

    def get_device(self):
        """The index of its device; None without one."""
        return self.device.index

    @property
    def is_cuda(self):
        return self._untyped_storage.is_cuda

    @property
    def is_sparse(self):
        return False

    @property
    def filename(self):
        return self._untyped_storage.filename

    def pickle_storage_type(self):
        """The name by which files call its class."""
        return f"{_names.get(self.dtype, 'Typed')}Storage"

    def type(self, dtype=None, non_blocking=False):
        """Its name, or the elements converted to a dtype, or to that of a class or of a class's name."""
        if dtype is None:
            return f"{_C._printed_package()}.{self.pickle_storage_type()}"
        if isinstance(dtype, str):
            dtype = _class_called(dtype)
        return self._like(self._tensor().to(getattr(dtype, "_own_dtype", dtype)))

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """A storage over the first `size` elements of a file, mapped, of the class's dtype.

        Raises:
            RuntimeError: TypedStorage itself, which has no dtype; a file that is not there or too short.
        """
        if cls._own_dtype is None:
            raise RuntimeError("from_file can only be called on derived classes")
        nbytes = size * cls._own_dtype.itemsize
        return cls(wrap_storage=UntypedStorage.from_file(filename, shared, nbytes))

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, *, dtype=None):
        """A copy of a buffer's elements.

        Args:
            byte_order: "little", "big" or "native": how they lie in the buffer.
            count: how many; those to its end unless given.
            offset: of the first, in bytes.
            dtype: of the elements; that of the class for FloatStorage and its kin.
        """
        dtype = cls._own_dtype or dtype or _C.get_default_dtype()
        made = UntypedStorage.from_buffer(buffer, byte_order, count, offset, dtype)
        return TypedStorage(wrap_storage=made, dtype=dtype)

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
        values = " " + "\n ".join(map(str, self.tolist()))
        name = f"{_C._printed_package()}.storage.TypedStorage"
        place = f"dtype={self.dtype}, device={self.device}"
        return f"{values}\n[{name}({place}) of size {self.size()}]"


def is_storage(obj):
    """Whether an object is the storage of a tensor."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


def tensor_over(storage, dtype):
    """A tensor (n) of all elements of a storage, which it shares: of the bytes of one without a dtype.

    Raises:
        RuntimeError: the storage is of another dtype.
    """
    if isinstance(storage, TypedStorage) and storage.dtype != dtype:
        wanted, found = (str(d).rpartition(".")[2] for d in (dtype, storage.dtype))
        raise RuntimeError(
            f"Expected a Storage of type {wanted} or an UntypedStorage, but got type {found} for argument 1 "
            "'storage'"
        )
    return _C.asarray(storage.untyped(), dtype=dtype)


def _rebuild(storage, dtype):
    return TypedStorage(wrap_storage=storage, dtype=dtype)


def class_of(dtype):
    """The class of storages of a dtype."""
    return _classes.get(dtype, TypedStorage)


def _class_called(name):
    """FloatStorage of "opweave.FloatStorage" or "torch.FloatStorage"; ValueError: there is no such class."""
    module, _, last = name.rpartition(".")
    for cls in _classes.values():
        if cls.__name__ == last and module in ("opweave", _C._printed_package()):
            return cls
    known = ", ".join(sorted(cls.__name__ for cls in _classes.values()))
    raise ValueError(f"invalid type: '{name}'; the classes are {known}")


def _conversion(dtype):
    def converted(self):
        return self.type(dtype)

    converted.__doc__ = f"The elements converted to {dtype}."
    return converted


# float(), half() and kin: the dtypes whose tensors have a method of their own.
for _dtype in _C._dtypes:
    if _dtype._method:
        setattr(TypedStorage, _dtype._method, _conversion(_dtype))


def _make(name, dtype):
    doc = f"A TypedStorage of {str(dtype).rpartition('.')[2]}."
    space = {"__slots__": (), "__doc__": doc, "__module__": "opweave", "_own_dtype": dtype}
    return type(name, (TypedStorage,), space)


_names = {dtype: name for name, dtype in _dtypes()}
# By dtype: the class that stands for it in files.
_classes = {dtype: _make(f"{name}Storage", dtype) for dtype, name in _names.items()}
globals().update({cls.__name__: cls for cls in _classes.values()})
__all__ += sorted(cls.__name__ for cls in _classes.values())
