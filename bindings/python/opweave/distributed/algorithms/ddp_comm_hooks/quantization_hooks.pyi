# Types of opweave.distributed.algorithms.ddp_comm_hooks.quantization_hooks.
from opweave.distributed import GradBucket, ProcessGroup
from opweave.distributed.algorithms.ddp_comm_hooks._states import HookState
from opweave.futures import Future

class QuantizationState(HookState):
    channel_size: int
    def __init__(
        self, process_group: ProcessGroup | None = None, channel_size: int = 512
    ) -> None: ...

def quantization_pertensor_hook(
    process_group: ProcessGroup | QuantizationState | None, bucket: GradBucket
) -> Future: ...
def quantization_perchannel_hook(
    process_group: ProcessGroup | QuantizationState | None,
    bucket: GradBucket,
    bucket_size: int = 512,
) -> Future: ...
