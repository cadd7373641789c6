"""What is called by name of UntypedStorage, the bytes under tensors: its class, in C++, finds it here."""

import numbers
import operator
import sys

from opweave import _C
from opweave._creation import mapped
from opweave.storage import is_storage as _is_storage


def _kind(value):
    return type(value).__name__


def _name():
    return f"{_C._printed_package()}.UntypedStorage"


def _bytes_of(sequence):
    """Whole numbers, each by its lowest eight bits."""
    if (
        not hasattr(sequence, "__getitem__")
        or not hasattr(sequence, "__len__")
        or hasattr(sequence, "keys")
    ):
        raise RuntimeError(f"{_name()}(): Expected a sequence type, but got {_kind(sequence)}")
    for item in sequence:
        if not hasattr(item, "__index__"):
            raise RuntimeError(
                f"{_name()}(): tried to construct a storage from a sequence ({_kind(sequence)}), "
                f"but one of the items was of type {_kind(item)} instead of int"
            )
    return bytes(operator.index(item) & 255 for item in sequence)


def _elements(byte_order, buffer, count, offset, dtype):
    """The bytes of `count` elements of a buffer, in this computer's order; PyTorch's checks and words."""
    if not isinstance(dtype, _C.dtype):
        said = (
            "cannot be None" if dtype is None else f"must be of type {_C._printed_package()}.dtype"
        )
        raise RuntimeError(f"argument 'dtype' {said}")
    size = dtype.itemsize
    if byte_order is None and size > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "native", "little", "big"):
        raise ValueError(
            f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')"
        )
    given = memoryview(buffer).cast("B")
    if not 0 <= offset <= len(given):
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({len(given)}), but got {offset}"
        )
    if count < 0:
        if (len(given) - offset) % size:
            raise ValueError(
                f"buffer size ({len(given) - offset}) must be a multiple of element size ({size})"
            )
        count = (len(given) - offset) // size
    if (rest := len(given) - offset) < count * size:
        raise ValueError(
            f"buffer has only {rest // size} elements after offset {offset}, but specified a size of {count}"
        )
    found = bytes(given[offset : offset + count * size])
    if dtype == _C.bool:
        found = bytes(map(bool, found))
    made = _C.UntypedStorage(found)
    if byte_order not in (None, "native", sys.byteorder):
        made.byteswap(dtype)
    return made


class UntypedStorage:
    """Methods and properties of opweave.UntypedStorage."""

    @staticmethod
    def made(*args, device=None, **named):
        """UntypedStorage(), (size) or (sequence), on a device."""
        if "size" in named and not args:
            args = (named.pop("size"),)
        if named or len(args) > 1:
            given = ", ".join([*map(_kind, args), *(f"{k}={_kind(v)}" for k, v in named.items())])
            raise TypeError(
                f"{_name()}() received an invalid combination of arguments - got ({given}), but expected "
                "(int size) or (object sequence), and torch.device device = None"
            )
        source = args[0] if args else 0
        if isinstance(source, numbers.Integral):
            if device is None:
                return _C.UntypedStorage(int(source))
            if source < 0:
                raise RuntimeError(f"UntypedStorage: the size must not be negative, got {source}")
            return _C.empty(source, dtype=_C.uint8, device=device).untyped_storage()
        made = _C.UntypedStorage(_bytes_of(source))
        return made if device is None else made.to(device=device)

    @staticmethod
    def from_file(filename, shared=False, nbytes=0):
        if not isinstance(filename, str):
            raise TypeError(f"argument 1 must be str, not {_kind(filename)}")
        nbytes = operator.index(nbytes)
        if nbytes == 0:
            return _C.UntypedStorage(0)
        if nbytes < 0:
            raise RuntimeError(
                f"unable to mmap {nbytes} bytes from file <{filename}>: a negative size"
            )
        return _C._storage_of_buffer(mapped(filename, bool(shared), nbytes), 0, nbytes)

    @staticmethod
    def from_buffer(buffer, byte_order=None, count=-1, offset=0, dtype=None):
        return _elements(byte_order, buffer, count, offset, dtype)

    def clone(self):
        return self._bytes().clone().untyped_storage()

    __copy__ = clone

    def __deepcopy__(self, memo):
        return memo.setdefault(id(self), self.clone())

    def cpu(self):
        return self if _C._is_host(self.device) else self._bytes().cpu().untyped_storage()

    def to(self, *, device, non_blocking=False):
        if _C.device(device) == self.device:
            return self
        return self._bytes().to(device, non_blocking=non_blocking).untyped_storage()

    def cuda(self, device=None, non_blocking=False):
        return self._bytes().cuda(device, non_blocking).untyped_storage()

    def pin_memory(self, device=None):
        return self if self.is_pinned() else self._bytes().pin_memory().untyped_storage()

    def is_pinned(self, device=None):
        return self._bytes().is_pinned()

    def tolist(self):
        return self._bytes().tolist()

    def copy_(self, source, non_blocking=False):
        if not _is_storage(source):
            raise TypeError(
                f"copy_(): argument 'src' (position 1) must be {_C._printed_package()}.Storage, "
                f"not {_kind(source)}"
            )
        source = source.untyped()
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self._bytes().copy_(source._bytes(), non_blocking)
        return self

    def fill_(self, value):
        if not hasattr(value, "__index__"):
            raise RuntimeError(f"fill_ expects int, but got {_kind(value)}")
        self._bytes().fill_(operator.index(value) & 255)
        return self

    def __setitem__(self, key, value):
        if not hasattr(value, "__index__"):
            raise RuntimeError(
                f"can only set storage content with a int types, but got {_kind(value)} instead"
            )
        value = operator.index(value) & 255
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise RuntimeError(
                    f"Trying to slice with a step of {key.step}, but only a step of 1 is supported"
                )
        elif not hasattr(key, "__index__"):
            raise RuntimeError(f"can't index a {_name()} with {_kind(key)}")
        elif not -self.nbytes() <= key < self.nbytes():
            raise RuntimeError(f"out of bounds: index {key} of a storage of {self.nbytes()} bytes")
        self._bytes()[key] = value

    def byteswap(self, dtype):
        if self.nbytes() % dtype.itemsize:
            raise ValueError(
                f"byteswap: {self.nbytes()} bytes are no whole number of elements of {dtype.itemsize} bytes"
            )
        rows = self._bytes().view(-1, dtype.itemsize)
        rows.copy_(rows.flip(1))

    def element_size(self):
        return 1

    def get_device(self):
        return self.device.index

    def untyped(self):
        return self

    def new(self):
        return self._bytes().new_empty(0).untyped_storage()

    def type(self, dtype=None, non_blocking=False):
        from opweave.storage import TypedStorage

        if dtype is None:
            return f"{_C._printed_package()}.storage.UntypedStorage"
        return TypedStorage(wrap_storage=self, dtype=_C.uint8).type(dtype, non_blocking)

    def is_shared(self):
        return _C._shared_place(self) is not None

    def share_memory_(self):
        _C._move_to_shared_memory(self)
        return self

    def is_cuda(self):
        return self._bytes().is_cuda

    def _never(self):
        return False

    is_hpu = is_sparse = is_sparse_csr = _never

    def filename(self):
        return None

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def __repr__(self):
        name = f"{_C._printed_package()}.storage.UntypedStorage"
        place = f"[{name}(device={self.device}) of size {self.nbytes()}]"
        if self._bytes().is_meta:
            return f"...\n{place}"
        values = " " + "\n ".join(map(str, self.tolist()))
        return f"{values}\n{place}"
