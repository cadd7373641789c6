# Types of opweave.optim.swa_utils.
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

from opweave import Tensor, device
from opweave.nn.modules.module import Module
from opweave.optim.lr_scheduler import LRScheduler
from opweave.optim.optimizer import Optimizer

PARAM_LIST: TypeAlias = tuple[Tensor, ...] | list[Tensor]
_Average: TypeAlias = Callable[[Tensor, Tensor, Tensor | int], Tensor]
_MultiAverage: TypeAlias = Callable[[PARAM_LIST, PARAM_LIST, Tensor | int], None]

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

def get_ema_multi_avg_fn(decay: float = 0.999) -> _MultiAverage: ...
def get_swa_multi_avg_fn() -> _MultiAverage: ...
def get_ema_avg_fn(decay: float = 0.999) -> _Average: ...
def get_swa_avg_fn() -> _Average: ...

class AveragedModel(Module):
    module: Any
    n_averaged: Tensor
    avg_fn: _Average | None
    multi_avg_fn: _MultiAverage | None
    use_buffers: bool
    def __init__(
        self,
        model: Module,
        device: int | str | device | None = None,
        avg_fn: _Average | None = None,
        multi_avg_fn: _MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None: ...
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...
    def update_parameters(self, model: Module) -> None: ...

def update_bn(
    loader: Iterable[Any], model: Module, device: int | str | device | None = None
) -> None: ...

class SWALR(LRScheduler):
    anneal_epochs: int
    anneal_func: Callable[[float], float]
    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None: ...
