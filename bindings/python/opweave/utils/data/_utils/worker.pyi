# Types of opweave.utils.data._utils.worker that programs see.
from typing import Any

class WorkerInfo:
    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any
    worker_method: str | None

def get_worker_info() -> WorkerInfo | None: ...
