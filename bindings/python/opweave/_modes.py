"""What modes of all kinds have, and those that see calls of functions (opweave.overrides)."""

import warnings

from opweave import _C


class Mode:
    """Entered by `with`; what it then sees is its class's matter."""

    @classmethod
    def push(cls, *args, **kwargs):
        """Makes a mode; its constructor does the same."""
        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`",
            stacklevel=2,
        )
        return cls(*args, **kwargs)


class TorchFunctionMode(Mode):
    """Sees the calls that its thread makes inside of `with mode:`, by its method `__torch_function__`.

    What that method calls itself it does not see, unless it says `with self:`.
    """

    __module__ = "opweave.overrides"
    inner = None

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _C._push_function_mode(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        _C._pop_function_mode()
