"""Collectives of Python objects: each travels as its pickle.

A pickle runs the code that its maker wrote into it: a group is made of processes that trust one another. With
`weights_only=True` nothing is taken but tensors, numbers, strings and collections of them.
"""

import io
import pickle

from opweave import _C
from opweave.distributed import _arguments, _groups
from opweave.distributed import _collectives as collectives
from opweave.distributed._coalescing import collecting
from opweave.distributed._groups import get_global_rank, get_group_rank

_SAFE = {
    ("builtins", "bytearray"),
    ("builtins", "complex"),
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("collections", "OrderedDict"),
    ("opweave", "Size"),
    ("opweave", "Tensor"),
    ("opweave", "UntypedStorage"),
    ("opweave", "device"),
    ("opweave._tensor", "_rebuild_tensor"),
    ("opweave.nn.parameter", "Parameter"),
}


def member(group):
    """The group; RuntimeError where its collectives are collected, as these go in steps."""
    found = _groups.member(group)
    if collecting(found[0]) is not None:
        raise RuntimeError("collectives of objects cannot be collected by a _coalescing_manager")
    return found


def _is_dtype(module, name):
    return module == "opweave" and isinstance(getattr(_C, name, None), _C.dtype)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in _SAFE and not _is_dtype(module, name):
            raise pickle.UnpicklingError(
                f"weights_only=True takes tensors and plain values alone, and this needs {module}.{name}"
            )
        return super().find_class(module, name)


def _tensor_of(value, group):
    """The bytes of its pickle, where the group takes tensors."""
    return _C.UntypedStorage(pickle.dumps(value))._bytes().to(group._speaks_on())


def _value_of(tensor, weights_only):
    data = bytes(tensor.cpu().contiguous().clone().untyped_storage())
    return _Unpickler(io.BytesIO(data)).load() if weights_only else pickle.loads(data)


def _room(size, group, dtype=_C.uint8):
    return _C.empty(size, dtype=dtype, device=group._speaks_on())


def _numbers(values, group):
    return _C.tensor(values, dtype=_C.int64).to(group._speaks_on())


def _place(group, name, rank, in_group):
    """The rank in the group, 0 of the world where neither is given."""
    if rank is None and in_group is None:
        rank = 0
    return collectives._rank_of(group, name, rank, in_group)


def _check_list(objects, size, what):
    if not isinstance(objects, list) or len(objects) != size:
        raise ValueError(
            f"{what}: expected a list of {size}, one place for each rank, got {objects!r}"
        )


def _all_sizes(group, size):
    """How many bytes each rank has."""
    sizes = _room(group.size(), group, _C.int64)
    collectives.all_gather_into_tensor(sizes, _numbers([size], group), group)
    return sizes.tolist()


def all_gather_object(object_list, obj, group=None, weights_only=False):
    """Writes each rank's object into its place of `object_list`, on every rank."""
    if collectives._outside(group):
        return
    group, _ = member(group)
    _check_list(object_list, group.size(), "all_gather_object(): object_list")
    mine = _tensor_of(obj, group)
    rooms = [_room(size, group) for size in _all_sizes(group, mine.numel())]
    collectives.all_gather(rooms, mine, group)
    object_list[:] = [_value_of(room, weights_only) for room in rooms]


def gather_object(
    obj, object_gather_list=None, dst=None, group=None, group_dst=None, weights_only=False
):
    """Writes each rank's object into its place of `object_gather_list`, on rank `dst` (default 0)."""
    if collectives._outside(group):
        return
    group, _ = member(group)
    root = _place(group, "dst", dst, group_dst)
    at_root = group.rank() == root
    if at_root:
        _check_list(object_gather_list, group.size(), "gather_object(): object_gather_list")
    elif object_gather_list:
        raise ValueError("gather_object(): object_gather_list belongs to rank `dst` alone")
    mine = _tensor_of(obj, group)
    sizes = _all_sizes(group, mine.numel())
    rooms = [_room(size, group) for size in sizes] if at_root else None
    collectives.gather(mine, rooms, group=group, group_dst=root)
    if at_root:
        object_gather_list[:] = [_value_of(room, weights_only) for room in rooms]


def broadcast_object_list(
    object_list, src=None, group=None, device=None, group_src=None, weights_only=False
):
    """Writes the objects of rank `src` (default 0) into the lists of the others, which are as long."""
    if collectives._outside(group):
        return
    group, _ = member(group)
    _arguments.expect(object_list, list, "broadcast_object_list()", "object_list", "a list")
    root = _place(group, "src", src, group_src)
    at_root = group.rank() == root
    given = [_tensor_of(o, group) for o in object_list] if at_root else []
    sizes = _numbers([t.numel() for t in given] or [0] * len(object_list), group)
    collectives.broadcast(sizes, group=group, group_src=root)
    sizes = sizes.tolist()
    together = _C.cat(given) if given else _room(sum(sizes), group)
    collectives.broadcast(together, group=group, group_src=root)
    if not at_root:
        object_list[:] = [_value_of(part, weights_only) for part in together.split(sizes)]


def scatter_object_list(
    scatter_object_output_list,
    scatter_object_input_list=None,
    src=None,
    group=None,
    group_src=None,
    weights_only=False,
):
    """Writes of the objects of rank `src` (default 0) the one for this rank into a list's first place."""
    if collectives._outside(group):
        return
    group, _ = member(group)
    root = _place(group, "src", src, group_src)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError(
            "Expected argument scatter_object_output_list to be a list of size at least 1."
        )
    parts = None
    if group.rank() == root:
        _check_list(
            scatter_object_input_list,
            group.size(),
            "scatter_object_list(): scatter_object_input_list",
        )
        parts = [_tensor_of(o, group) for o in scatter_object_input_list]
    size = _room(1, group, _C.int64)
    sizes = parts and [_numbers([part.numel()], group) for part in parts]
    collectives.scatter(size, sizes, group=group, group_src=root)
    room = _room(size.item(), group)
    collectives.scatter(room, parts, group=group, group_src=root)
    scatter_object_output_list[0] = _value_of(room, weights_only)


def send_object_list(
    object_list,
    dst=None,
    group=None,
    device=None,
    group_dst=None,
    use_batch=False,
    weights_only=False,
):
    """Sends objects to rank `dst`, which calls `recv_object_list` with a list that is as long."""
    if collectives._outside(group):
        return
    group, _ = member(group)
    _arguments.expect(object_list, list, "send_object_list()", "object_list", "a list")
    parts = [_tensor_of(o, group) for o in object_list]
    sizes = _numbers([part.numel() for part in parts], group)
    for tensor in (sizes, _C.cat(parts) if parts else _room(0, group)):
        collectives.send(tensor, dst, group, group_dst=group_dst)


def recv_object_list(
    object_list,
    src=None,
    group=None,
    device=None,
    group_src=None,
    use_batch=False,
    weights_only=False,
):
    """Receives into a list what rank `src` (any, for None) sends; returns its rank in the world."""
    if collectives._outside(group):
        return -1
    group, _ = member(group)
    _arguments.expect(object_list, list, "recv_object_list()", "object_list", "a list")
    if group_src is not None:
        src = get_global_rank(group, group_src)
    sizes = _room(len(object_list), group, _C.int64)
    source = collectives.recv(sizes, src, group)
    together = _room(int(sizes.sum().item()), group)
    collectives.recv(together, group=group, group_src=get_group_rank(group, source))
    parts = together.split(sizes.tolist())
    object_list[:] = [_value_of(part, weights_only) for part in parts]
    return source
