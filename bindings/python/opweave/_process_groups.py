"""What modules that know one process ask of groups of processes.

They lie below `opweave.distributed`, which says how once it is loaded (`offer`). A program that has not
loaded it has no groups.
"""

_offered = {}


def offer(default_group, all_reduce, all_gather):
    """Takes over what groups do.

    Args:
        default_group: gives the default group, None without one.
        all_reduce: of a tensor, a group and `largest`: reduces in place over all ranks.
        all_gather: of a tensor and a group: the tensors of all ranks, differentiable.
    """
    _offered.update(default_group=default_group, all_reduce=all_reduce, all_gather=all_gather)


def default_group():
    """The default group; None where there is none."""
    return _offered["default_group"]() if _offered else None


def all_reduce(tensor, group, largest=False):
    """The sums of the tensors of all ranks, or the largest numbers, in place."""
    _offered["all_reduce"](tensor, group, largest)


def all_gather(tensor, group):
    """The tensors of all ranks, by rank; gradients flow back to where they came from."""
    return _offered["all_gather"](tensor, group)
