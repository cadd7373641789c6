"""cuSPARSELt, which no kernel uses."""

__all__ = ["is_available"]


def is_available():
    """Whether there is cuSPARSELt: no."""
    return False
