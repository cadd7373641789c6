# Types of opweave.multiprocessing.
from multiprocessing import *

from opweave.multiprocessing import pool as pool
from opweave.multiprocessing import queue as queue
from opweave.multiprocessing import reductions as reductions
from opweave.multiprocessing.reductions import init_reductions as init_reductions
from opweave.multiprocessing.spawn import ENV_VAR_PARALLEL_START as ENV_VAR_PARALLEL_START
from opweave.multiprocessing.spawn import ProcessContext as ProcessContext
from opweave.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from opweave.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from opweave.multiprocessing.spawn import SpawnContext as SpawnContext
from opweave.multiprocessing.spawn import spawn as spawn
from opweave.multiprocessing.spawn import start_processes as start_processes

def get_all_sharing_strategies() -> set[str]: ...
def get_sharing_strategy() -> str: ...
def set_sharing_strategy(new_strategy: str) -> None: ...
