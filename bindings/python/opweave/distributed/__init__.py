"""Programs of several processes: stores, in which they find one another, count and wait.

Everything has PyTorch's names. The C++ part is an extension of its own, loaded with this module.
"""

from opweave._distributed import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    FileStore,
    HashStore,
    PrefixStore,
    QueueEmptyError,
    Store,
    TCPStore,
)

__all__ = [
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "HashStore",
    "PrefixStore",
    "QueueEmptyError",
    "Store",
    "TCPStore",
    "is_available",
]


def is_available():
    """Whether this build has the distributed package: always."""
    return True
