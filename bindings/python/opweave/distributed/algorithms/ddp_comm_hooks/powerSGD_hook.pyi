# Types of opweave.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.
from opweave import Tensor
from opweave.distributed import GradBucket, ProcessGroup
from opweave.distributed.algorithms.ddp_comm_hooks._states import HookState
from opweave.futures import Future

class PowerSGDState(HookState):
    def __init__(
        self,
        process_group: ProcessGroup | None = None,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
    ) -> None: ...
    def compression_stats(self) -> tuple[float, int, int]: ...
    def is_compressed(self, parameter: Tensor) -> bool: ...

def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future: ...  # noqa: N802
