"""MKL, which no kernel uses."""

__all__ = ["VERBOSE_OFF", "VERBOSE_ON", "is_available", "verbose"]

VERBOSE_OFF, VERBOSE_ON = 0, 1


def is_available():
    """Whether there is MKL: no."""
    return False


class verbose:  # noqa: N801 - PyTorch's name
    """In PyTorch, has MKL print its calls within `with`.

    Raises:
        RuntimeError: when it is entered with another level than VERBOSE_OFF.
    """

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        if self.enable != VERBOSE_OFF:
            raise RuntimeError(
                "backends.mkl.verbose: no kernel uses MKL, and it has nothing to print"
            )

    def __exit__(self, *exception):
        return False
