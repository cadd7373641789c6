# Types of opweave.distributed.algorithms.ddp_comm_hooks.topk_hook.
from opweave.distributed import GradBucket, ProcessGroup
from opweave.distributed.algorithms.ddp_comm_hooks._states import HookState
from opweave.futures import Future

class TopKState(HookState):
    ratio: float
    def __init__(
        self,
        process_group: ProcessGroup | None = None,
        ratio: float = 0.1,
        use_error_feedback: bool = True,
    ) -> None: ...

def topk_hook(state: TopKState, bucket: GradBucket) -> Future: ...
