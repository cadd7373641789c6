"""What all ranks have to have in common before they train: the same parameters, with the same values."""

from opweave._grad_mode import no_grad
from opweave.distributed import _coalescing, _collectives, _objects


def described(parameters):
    """What ranks compare: name, shape and dtype of each parameter."""
    return [(name, list(p.shape), str(p.dtype)) for name, p in parameters]


def _shown(entry):
    name, shape, dtype = entry
    return f"'{name}' of shape {shape} and dtype {dtype}"


def check_same(parameters, group):
    """Compares the parameters of all ranks; a call of every rank.

    RuntimeError, on every rank, that names the ranks and the first parameter in which they differ.
    """
    mine = described(parameters)
    everyones = [None] * group.size()
    _objects.all_gather_object(everyones, mine, group=group)
    first = everyones[0]
    for rank, theirs in enumerate(everyones):
        if theirs == first:
            continue
        for number, (a, b) in enumerate(zip(first, theirs, strict=False)):
            if a != b:
                raise RuntimeError(
                    "DDP expects same model across all ranks, but they differ in the parameter "
                    f"{number}: rank 0 has {_shown(a)}, rank {rank} has {_shown(b)}"
                )
        more, ranks = (first, 0) if len(first) > len(theirs) else (theirs, rank)
        raise RuntimeError(
            f"DDP expects same model across all ranks, but rank 0 has {len(first)} parameters and rank "
            f"{rank} has {len(theirs)}: rank {ranks} alone has {_shown(more[min(len(first), len(theirs))])}"
        )


def broadcast_all(tensors, group, source=0):
    """Gives every rank the values of `source`, together for each dtype and device; a call of every rank.

    Graphs do not notice, as with PyTorch: there may be a backward pass to come of what buffers were before.
    """
    kinds = {}
    for tensor in tensors:
        kinds.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    with no_grad():
        for same in kinds.values():
            sent = [t.data.contiguous() for t in same]
            with _coalescing._coalescing_manager(group):
                for tensor in sent:
                    _collectives.broadcast(tensor, group=group, group_src=source)
            for tensor, came in zip(same, sent, strict=True):
                if not tensor.is_contiguous():
                    tensor.data.copy_(came)
