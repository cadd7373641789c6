"""What groups do for modules that lie below `opweave.distributed` (opweave/_process_groups.py)."""

from opweave import _process_groups
from opweave.distributed import _collectives, _groups
from opweave.distributed._reductions import ReduceOp


def _default_group():
    return _groups.group.WORLD


def _all_reduce(tensor, group, largest):
    op = ReduceOp.MAX if largest else ReduceOp.SUM
    _collectives.all_reduce(tensor, op=op, group=group)


def _all_gather(tensor, group):
    from opweave.distributed.nn.functional import (
        all_gather,  # few programs differentiate through it
    )

    return all_gather(tensor, group)


_process_groups.offer(_default_group, _all_reduce, _all_gather)
