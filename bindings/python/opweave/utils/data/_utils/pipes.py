"""What DataLoader does with an IterDataPipe: one order in all processes, of which each has its part."""

import sys

from opweave import _C


def is_pipe(dataset):
    """Whether a data set is an IterDataPipe; nobody has one before their module is loaded."""
    module = sys.modules.get("opweave.utils.data.datapipes.datapipe")
    return module is not None and isinstance(dataset, module.IterDataPipe)


def shuffled(dataset, shuffle):
    """The pipe with its random order switched on or off; as it is for None."""
    from opweave.utils.data.graph_settings import apply_shuffle_settings

    return apply_shuffle_settings(dataset, shuffle=shuffle)


def seeded(dataset, generator):
    """Draws a number, from which all that draw in the pipe get their seeds."""
    shared = _C.empty((), dtype=_C.int64).random_(generator=generator).item()
    seed(dataset, shared)
    return shared


def seed(dataset, shared):
    """Seeds of a number, the same in each process."""
    from opweave.utils.data.graph_settings import apply_random_seed

    apply_random_seed(dataset, _C.Generator().manual_seed(shared))


def share_out(dataset, workers, worker):
    """The part of one worker, on this rank, of what is shared out."""
    import opweave.distributed as dist
    from opweave.utils.data.graph_settings import apply_sharding

    ranks, rank = 1, 0
    if dist.is_available() and dist.is_initialized():
        ranks, rank = dist.get_world_size(), dist.get_rank()
    apply_sharding(dataset, workers * ranks, worker * ranks + rank)
