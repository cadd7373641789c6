"""Programs of several processes: how they meet, and stores, in which they count and wait.

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
from opweave.distributed.rendezvous import register_rendezvous_handler, rendezvous

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
    "register_rendezvous_handler",
    "rendezvous",
]


def is_available():
    """Whether this build has the distributed package: always."""
    return True
