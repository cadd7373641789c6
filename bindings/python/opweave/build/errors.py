"""What goes wrong when an operator library is built."""

import contextlib
import errno

_HINTS = {
    errno.ENOSPC: "; remove what is not needed, or name another folder",
    errno.EDQUOT: "; remove what is not needed, or name another folder",
    errno.EACCES: "; name a folder that can be written",
    errno.EROFS: "; name a folder that can be written",
}


class BuildError(Exception):
    """The library could not be built; the text is what a user reads."""


@contextlib.contextmanager
def explained(folder):
    """What the system refuses while files are written, as a BuildError."""
    try:
        yield
    except OSError as error:
        where, hint = error.filename or folder, _HINTS.get(error.errno, "")
        raise BuildError(
            f"{where}: the library cannot be written: {error.strerror}{hint}"
        ) from None


@contextlib.contextmanager
def readable(path):
    """The same while a file is read."""
    try:
        yield
    except OSError as error:
        raise BuildError(f"{error.filename or path}: cannot be read: {error.strerror}") from None
