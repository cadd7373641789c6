"""cuSPARSELt, which no kernel uses."""

__all__ = ["get_max_alg_id", "is_available", "version"]


def is_available():
    """Whether there is cuSPARSELt: no."""
    return False


def version():
    """Its version: None."""
    return None


def get_max_alg_id():
    """The last of its algorithms: None."""
    return None
