"""What parts of the package share, under the names by which programs know it."""

import sys
import traceback


class KeyErrorMessage(str):
    """Text that a KeyError shows as it is; it shows the `repr` of what it is made of."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An exception of another process or thread, to be raised in this one with the traceback that it had.

    Args:
        exc_info: as sys.exc_info() gives it; that of the exception at hand without it.
        where: it was raised, for the text: "in DataLoader worker process 0".
    """

    def __init__(self, exc_info=None, where="in background"):
        kind, error, trace = sys.exc_info() if exc_info is None else exc_info
        # The traceback as text: the object would keep the frames, and cannot be sent.
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))

    def reraise(self):
        """Raises an exception of its type; RuntimeError where that cannot be made of a text alone."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            error = self.exc_type(text)
        except Exception:
            raise RuntimeError(text) from None
        raise error
