"""Options of collectives, as methods of groups take them, and of backends, as groups are made with.

The names and defaults are PyTorch's.
"""

import sys
import warnings
from dataclasses import dataclass, field
from datetime import timedelta

from opweave.distributed import _arguments
from opweave.distributed._reductions import ReduceOp

UNSET = timedelta(milliseconds=-1)  # the group's timeout


@dataclass(kw_only=True)
class Options:
    """Of any collective: after which time it fails, and whether its Work is waited for."""

    asyncOp: bool = True  # noqa: N815 - PyTorch's name
    timeout: timedelta = UNSET


@dataclass(kw_only=True)
class _Rooted(Options):
    rootRank: int = 0  # noqa: N815


@dataclass(kw_only=True)
class _Reducing(Options):
    reduceOp: ReduceOp = ReduceOp.SUM  # noqa: N815


class AllToAllOptions(Options):
    """Options of `ProcessGroup.alltoall` and `alltoall_base`."""


class AllgatherOptions(Options):
    """Options of `ProcessGroup.allgather` and its kind."""


class AllreduceOptions(_Reducing):
    """Options of `ProcessGroup.allreduce`."""


class AllreduceCoalescedOptions(AllreduceOptions):
    """Options of `ProcessGroup.allreduce_coalesced`."""


class ReduceScatterOptions(_Reducing):
    """Options of `ProcessGroup.reduce_scatter` and its kind."""


class GatherOptions(_Rooted):
    """Options of `ProcessGroup.gather`; the root is a rank of the group."""


class ScatterOptions(_Rooted):
    """Options of `ProcessGroup.scatter`; the root is a rank of the group."""


@dataclass(kw_only=True)
class BroadcastOptions(_Rooted):
    """Options of `ProcessGroup.broadcast`; the root is a rank of the group."""

    rootTensor: int = 0  # noqa: N815


@dataclass(kw_only=True)
class ReduceOptions(_Reducing, _Rooted):
    """Options of `ProcessGroup.reduce`; the root is a rank of the group."""

    rootTensor: int = 0  # noqa: N815


@dataclass(kw_only=True)
class BarrierOptions(Options):
    """Options of `ProcessGroup.barrier`."""

    device_ids: list[int] = field(default_factory=list)
    device: object = None


class BackendOptions:
    """Options of a backend: its name and the timeout of the groups that it carries."""

    def __init__(self, backend, timeout=timedelta(minutes=30)):
        self.backend, self._timeout = backend, timeout
        self.global_ranks_in_group, self.group_name = [], ""

    def __setattr__(self, name, value):
        if sys._getframe(1).f_code.co_name != "__init__" and not hasattr(self, name):
            warnings.warn(
                f"{type(self).__qualname__}: "
                f"the backend {self.backend!r} has no option {name!r}: it does nothing",
                stacklevel=2,
            )
        super().__setattr__(name, value)


def timeout_of(options):
    """That of options of a backend of ours; None where they are something else."""
    return options._timeout if isinstance(options, BackendOptions) else None


def check_native(options, backends):
    """Refuses options of a group of Opweave's backends that would do nothing; TypeError, ValueError.

    `backends` is None where one is chosen by where the ranks are.
    """
    if options is None:
        return
    called = _arguments.called()
    _arguments.expect(
        options, BackendOptions, called, "pg_options", "options of a backend, or None"
    )
    if backends is not None and options.backend not in backends:
        raise ValueError(
            f"{called}: pg_options: they are of the backend {options.backend!r}, the group has "
            + " and ".join(map(repr, backends))
        )


def priority_of(options):
    """That of the streams of a group: -1 for the more urgent ones that a device has."""
    return -1 if getattr(options, "is_high_priority_stream", False) else 0
