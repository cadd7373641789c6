# Types of opweave.distributed.algorithms.model_averaging.averagers.
from collections.abc import Iterable
from typing import Any

from opweave.distributed import ProcessGroup

class ModelAverager:
    process_group: ProcessGroup
    step: int
    def __init__(self, process_group: ProcessGroup | None = None) -> None: ...
    def average_parameters(self, params: Iterable[Any]) -> None: ...

class PeriodicModelAverager(ModelAverager):
    period: int
    warmup_steps: int
    def __init__(
        self, period: int, warmup_steps: int = 0, process_group: ProcessGroup | None = None
    ) -> None: ...
