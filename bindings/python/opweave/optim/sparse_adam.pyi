# Types of opweave.optim.sparse_adam.
from opweave import Tensor
from opweave.optim.optimizer import Optimizer, ParamsT

class SparseAdam(Optimizer):
    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None: ...

def sparse_adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    *,
    eps: float,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    maximize: bool,
) -> None: ...
