"""The standard library's multiprocessing, whose queues and pipes carry tensors in shared memory, and `spawn`.

A tensor that is sent moves into shared memory where it is; the receiver gets the same memory. The sender has
to live until the receiver has taken it.
"""

import multiprocessing
from multiprocessing import *  # noqa: F403 - the same names

from opweave.multiprocessing import pool, queue, reductions
from opweave.multiprocessing._sharing import (
    get_all_sharing_strategies,
    get_sharing_strategy,
    set_sharing_strategy,
)
from opweave.multiprocessing.reductions import init_reductions
from opweave.multiprocessing.spawn import (
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [
    *multiprocessing.__all__,
    "ENV_VAR_PARALLEL_START",
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "init_reductions",
    "pool",
    "queue",
    "reductions",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]

init_reductions()
