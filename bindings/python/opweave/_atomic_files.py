"""Files that are there as a whole or not at all: what was in them before stays until all is written."""

import contextlib
import io
import os
import secrets
import stat

from opweave import _C

_NAME_BYTES = 200  # of the 255 that a name may have
_BEHIND = 1 << 25  # bytes, after which the disk is asked to begin with them


@contextlib.contextmanager
def replacing(path):
    """A new file, open for writing, that takes the place of `path` when the block ends without an error.

    Who reads `path` meanwhile, also after this process was killed, finds the old file or the new
    one. The data are on the disk before the name is theirs. A link is followed, the mode of an old
    file kept; what is no file (a device, a pipe) is written as it is.

    Raises:
        OSError: the folder does not exist or cannot be written, the disk is full; the old file is as it was.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, _beside(name))
    file, named = _open_new(folder, temporary)
    try:
        with file:
            _keep_mode(file, path)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not named:
                _name(file, folder, temporary)
                named = True
        os.replace(temporary, path)
    except BaseException as error:
        if named:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
        if isinstance(error, OSError) and error.errno and error.filename is None:
            error.filename = path  # a full disk does not say which file
        raise
    _sync_folder(folder)


def _beside(name):
    """A name like this one that no file has; file systems limit the bytes of names."""
    begin = os.fsencode(name)[:_NAME_BYTES].decode(errors="ignore")
    return f".{begin}.{secrets.token_hex(8)}.tmp"


def _open_new(folder, path):
    """A new file, and whether it has a name already.

    It has none, so that nothing is left of it if the process dies, where the file system has such.
    """
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
        if os.path.exists(f"/proc/self/fd/{descriptor}"):
            return _File(io.FileIO(descriptor, "w")), False
        os.close(descriptor)
    except (OSError, AttributeError):
        pass  # an old kernel, a network's file system, or an error that the next line meets as well
    return _File(io.FileIO(path, "x")), True


class _File(io.BufferedWriter):
    """A file that the disk is told of while it is written: fsync() at the end then takes little."""

    def __init__(self, raw):
        super().__init__(raw, 1 << 16)
        self._told = self._written = 0

    def write(self, data):
        length = super().write(data)
        self._written += length
        if self._written - self._told >= _BEHIND:
            self.flush()
            _C._write_back(self.fileno(), self._told, self._written - self._told)
            self._told = self._written
        return length


def _name(file, folder, path):
    """Gives a file without a name one."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Only with a folder does os.link() ask for the link in /proc to be followed.
        os.link(f"/proc/self/fd/{file.fileno()}", path, src_dir_fd=descriptor, follow_symlinks=True)
    finally:
        os.close(descriptor)


def _keep_mode(file, path):
    with contextlib.suppress(FileNotFoundError):
        os.fchmod(file.fileno(), stat.S_IMODE(os.stat(path).st_mode))


def _sync_folder(folder):
    """The new name itself has to reach the disk. Some file systems refuse; they do without."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
