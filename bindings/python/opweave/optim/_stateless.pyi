# Types of opweave.optim._stateless.
from contextlib import AbstractContextManager
from typing import Any

from opweave import Tensor
from opweave.optim.optimizer import Optimizer

def swap_in_optimizer_params_and_state(
    optimizer: Optimizer,
    swapin_parameters: dict[str, Tensor],
    swapin_optim_state: dict[str, Any],
) -> AbstractContextManager[None]: ...
