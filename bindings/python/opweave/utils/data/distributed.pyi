# Types of opweave.utils.data.distributed.
from collections.abc import Sized

from opweave.utils.data.sampler import Sampler

class DistributedSampler(Sampler[int]):
    epoch: int
    num_replicas: int
    rank: int
    shuffle: bool
    seed: int
    drop_last: bool
    num_samples: int
    total_size: int
    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    def set_epoch(self, epoch: int) -> None: ...
    def state_dict(self) -> dict[str, int]: ...
    def load_state_dict(self, state_dict: dict[str, int]) -> None: ...
