"""How tensors travel between processes: their storage moves into shared memory, and its file's descriptor
is sent. Nothing is copied, and each side sees what the other writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import reduction
from multiprocessing.reduction import ForkingPickler
from typing import Any

from opweave import _C
from opweave.nn.parameter import Parameter
from opweave.storage import TypedStorage

__all__ = [
    *("fd_id", "init_reductions", "rebuild_tensor", "rebuild_typed_storage", "reduce_storage"),
    *("reduce_tensor", "reduce_typed_storage"),
]


def rebuild_storage_empty() -> _C.UntypedStorage:
    return _C.UntypedStorage(0)


def rebuild_storage_fd(
    descriptor: Any, file_nbytes: int, offset: int, nbytes: int
) -> _C.UntypedStorage:
    """The storage in a file whose descriptor comes with the message."""
    file = _C._open_shared_storage(descriptor.detach(), file_nbytes)
    return _C._part_of_shared(file, offset, nbytes)


def reduce_storage(storage: _C.UntypedStorage) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Of host memory, which is shared from here on.

    Raises:
        RuntimeError: the storage is on another device, or the system has no more files.
    """
    if storage.nbytes() == 0 and _C._is_host(storage.device):
        return rebuild_storage_empty, ()
    storage.share_memory_()
    descriptor, file_nbytes, offset = _C._shared_place(storage)
    sent = reduction.DupFd(descriptor)
    return rebuild_storage_fd, (sent, file_nbytes, offset, storage.nbytes())


def fd_id(fd: int) -> tuple[int, int]:
    """What is the same of all descriptors of a file."""
    try:
        status = os.fstat(fd)
    except OverflowError:
        raise ValueError(f"fd_id: fd: expected the descriptor of a file, got {fd}") from None
    return status.st_ino, status.st_dev


def rebuild_typed_storage(storage: _C.UntypedStorage, dtype: _C.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=storage, dtype=dtype)


def reduce_typed_storage(storage: TypedStorage) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Its bytes are shared, as those of an UntypedStorage are."""
    return rebuild_typed_storage, (storage.untyped(), storage.dtype)


def rebuild_tensor(cls: type[_C.Tensor], storage: Any, metadata: tuple[Any, ...]) -> _C.Tensor:
    """A tensor of a storage: (offset, size, stride, requires_grad) say which part.

    Raises:
        TypeError: no storage, or another description of the part.
    """
    if not isinstance(storage, TypedStorage):
        raise TypeError(
            f"rebuild_tensor(): argument 'storage' must be TypedStorage, not {type(storage).__name__}"
        )
    if not isinstance(metadata, tuple) or len(metadata) != 4:
        raise TypeError(
            "rebuild_tensor(): argument 'metadata' must be (offset, size, stride, requires_grad), not "
            f"{metadata!r}"
        )
    offset, size, stride, requires_grad = metadata
    tensor = _C.empty(0, dtype=storage.dtype, device=storage.device)
    tensor.set_(storage.untyped(), offset, size, stride)
    if cls is Parameter:
        return Parameter(tensor, requires_grad=requires_grad)
    return tensor.requires_grad_(requires_grad)


def expect_leaf(tensor: _C.Tensor) -> None:
    """Autograd's graph cannot go with a tensor. RuntimeError for one that is part of it."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
            "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
            "the tensor before serializing (e.g., putting it on the queue)."
        )


def reduce_tensor(tensor: _C.Tensor) -> Any:
    """What is not in host memory goes through a copy there, and comes back to its device.

    Raises:
        RuntimeError: the tensor is a result that requires gradients.
    """
    expect_leaf(tensor)
    return tensor.__reduce_ex__(2)


def init_reductions() -> None:
    """Has queues, pipes and arguments of processes carry tensors so; on import of the package."""
    ForkingPickler.register(_C.UntypedStorage, reduce_storage)
    ForkingPickler.register(TypedStorage, reduce_typed_storage)
    ForkingPickler.register(_C.Tensor, reduce_tensor)
    ForkingPickler.register(Parameter, reduce_tensor)
