"""What a process that loads examples knows of itself."""

_worker_info = None


def get_worker_info():
    """The worker process of a DataLoader that this is; None in the program's own process."""
    return _worker_info
