"""What goes wrong when an operator library is built."""

import contextlib
import errno
import os
import shlex

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


def words_of(variable):
    """The words of an environment variable, as the shell would read them; none if it is not set.

    Raises:
        BuildError: a quotation in it has no end.
    """
    value = os.environ.get(variable, "")
    try:
        return shlex.split(value)
    except ValueError as error:
        raise BuildError(
            f"{variable}={value}: cannot be read as words of a shell: {error}"
        ) from None
