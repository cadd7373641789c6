"""What programs can set of saving and loading."""

import contextlib
import enum
import mmap
import threading


class LoadEndianness(enum.Enum):
    """The order of bytes of files that do not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Settings:
    checksums = True
    endianness = None
    mmap_flags = getattr(mmap, "MAP_PRIVATE", None)


_settings = _Settings()
_thread = threading.local()


def get_crc32_options():
    """Whether save() writes checksums of storages, and load() compares them."""
    return _settings.checksums


def set_crc32_options(compute_crc32):
    """Sets whether save() writes checksums of storages, and load() compares them.

    Without them a file is written as fast as memory is copied; other programs may call it damaged.
    """
    _settings.checksums = bool(compute_crc32)


def get_default_load_endianness():
    """The order of bytes of files that do not say it; None is that of this processor."""
    return _settings.endianness


def set_default_load_endianness(endianness):
    """Sets the order of bytes of files that do not say it: a LoadEndianness or None."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _settings.endianness = endianness


def get_default_mmap_options():
    """How load(mmap=True) maps files: mmap.MAP_PRIVATE or mmap.MAP_SHARED."""
    return _settings.mmap_flags


class set_default_mmap_options(contextlib.AbstractContextManager):  # noqa: N801
    """Sets how load(mmap=True) maps files, from the call on; as a context for its block only.

    Args:
        flags: mmap.MAP_PRIVATE, where writes to tensors stay with the process, or mmap.MAP_SHARED,
            where they change the file.
    """

    def __init__(self, flags):
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                f"set_default_mmap_options(): flags must be mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"not {flags!r}"
            )
        self._before = _settings.mmap_flags
        _settings.mmap_flags = flags

    def __exit__(self, *exception):
        _settings.mmap_flags = self._before


class skip_data(contextlib.AbstractContextManager):  # noqa: N801
    """Within its block save() leaves room for the values of tensors and writes none; of this thread.

    For files whose values somebody else puts in their places.
    """

    def __init__(self, materialize_fake_tensors=False):
        if materialize_fake_tensors:
            raise NotImplementedError(
                "skip_data(): there are no fake tensors; meta tensors keep no room"
            )

    def __enter__(self):
        self._before = skips_data()
        _thread.skips = True
        return self

    def __exit__(self, *exception):
        _thread.skips = self._before


def skips_data():
    """Whether this thread is within skip_data()."""
    return getattr(_thread, "skips", False)
