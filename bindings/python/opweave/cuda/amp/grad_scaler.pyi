# Types of opweave.cuda.amp.grad_scaler.
from opweave.amp.grad_scaler import GradScaler as _GradScaler

class GradScaler(_GradScaler):
    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None: ...
