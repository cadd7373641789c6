"""What the launcher of a program says of its processes, and how much they check."""

import enum
import os

from opweave.distributed import _arguments
from opweave.distributed._job import job

_LEVEL = "OPWEAVE_DISTRIBUTED_DEBUG"
_PYTORCH_LEVEL = "TORCH_DISTRIBUTED_DEBUG"


class DebugLevel(enum.IntEnum):
    """How much processes check: DETAIL compares the calls of all ranks before each collective."""

    OFF = 0
    INFO = 1
    DETAIL = 2


def get_debug_level():
    """What OPWEAVE_DISTRIBUTED_DEBUG, or else TORCH_DISTRIBUTED_DEBUG, says; OFF if neither does.

    ValueError for other words.
    """
    for name in (_LEVEL, _PYTORCH_LEVEL):
        if word := os.environ.get(name):
            if word.upper() not in DebugLevel.__members__:
                raise ValueError(f"The value of {name} must be OFF, INFO, or DETAIL, got {word!r}.")
            return DebugLevel[word.upper()]
    return DebugLevel.OFF


def set_debug_level(level):
    """For groups that are made from now on, in this process and those that it starts."""
    os.environ[_LEVEL] = DebugLevel(level).name


def set_debug_level_from_env():
    """As the environment says, which is where the level is kept. ValueError for a word that is no level."""
    get_debug_level()


def get_node_local_rank(fallback_rank=None):
    """The rank among the processes of this host, which the launcher says in LOCAL_RANK, or mpirun or Slurm.

    RuntimeError where nobody does, and there is no `fallback_rank`.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    started = job()
    if started is not None and started.local_rank:
        return int(started.local_rank)
    if fallback_rank is None:
        raise RuntimeError(
            "LOCAL_RANK is not in the environment. Consider passing fallback_rank to get_node_local_rank() "
            "where a process may run alone."
        )
    return int(_arguments.rank(fallback_rank, "get_node_local_rank()", "fallback_rank"))


def is_torchelastic_launched():
    """Whether a launcher that restarts processes has started this one (TORCHELASTIC_RUN_ID)."""
    return "TORCHELASTIC_RUN_ID" in os.environ
