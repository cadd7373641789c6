"""Tensors over files."""

import mmap
import os

from opweave import _C
from opweave._arguments import expect_int as _expect_int
from opweave._overridable import make_overridable as _make_overridable

__all__ = ["from_file"]


def from_file(filename, shared=None, size=0, *, dtype=None, device=None, requires_grad=False):
    """A vector over a file's bytes, which are read when they are used.

    Args:
        shared: whether what is written to the tensor is written to the file, which is made, and made longer,
            where needed.
        size: how many elements.
        dtype: the default float, unless given.

    Raises:
        RuntimeError: a file that cannot be opened or mapped, or is shorter than that.
    """
    if not isinstance(filename, (str, os.PathLike)):
        raise TypeError(
            f"from_file(): argument 'filename' (position 1) must be str, not {type(filename).__name__}"
        )
    _expect_int("from_file", "size", size)
    if size < 0:
        raise RuntimeError(f"from_file(): size must be non-negative, got {size}")
    dtype = dtype or _C.get_default_dtype()
    if size == 0:
        made = _C.empty(0, dtype=dtype)
    else:
        made = _C.frombuffer(mapped(filename, bool(shared), size * dtype.itemsize), dtype=dtype)
    return (made if device is None else made.to(device)).requires_grad_(requires_grad)


def mapped(filename, shared, nbytes):
    """The first bytes of a file, in memory."""
    mode = "read-write" if shared else "read-only"
    flags = os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY
    try:
        file = os.open(filename, flags | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise RuntimeError(
            f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from error
    try:
        found = os.fstat(file).st_size
        if found < nbytes and not shared:
            raise RuntimeError(
                f"file <{filename}> size <{found}> is smaller than the required mapping size <{nbytes}>"
            )
        if found < nbytes:
            os.ftruncate(file, nbytes)
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    except (OSError, ValueError) as error:
        raise RuntimeError(
            f"unable to mmap {nbytes} bytes from file <{filename}>: {error}"
        ) from error
    finally:
        os.close(file)


_make_overridable(globals())
