"""What modes of all kinds have."""

import warnings


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
