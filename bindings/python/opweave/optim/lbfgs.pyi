# Types of opweave.optim.lbfgs.

from opweave import Tensor
from opweave.optim.optimizer import Optimizer, ParamsT

class LBFGS(Optimizer):
    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-07,
        tolerance_change: float = 1e-09,
        history_size: int = 100,
        line_search_fn: str | None = None,
        *,
        maximize: bool = False,
    ) -> None: ...
