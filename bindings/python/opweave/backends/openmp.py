"""OpenMP, with which kernels share work among threads."""

__all__ = ["is_available"]


def is_available():
    """Whether there is OpenMP: yes."""
    return True
