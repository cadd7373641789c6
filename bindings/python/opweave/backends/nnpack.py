"""NNPACK, which no kernel uses."""

__all__ = ["is_available"]


def is_available():
    """Whether there is NNPACK: no."""
    return False
