# Types of opweave.optim.lr_scheduler.
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsFloat, TypeAlias

from opweave import Tensor
from opweave.optim.optimizer import Optimizer

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

EPOCH_DEPRECATION_WARNING: str
_Factor: TypeAlias = Callable[[int], float]
_Rate: TypeAlias = float | list[float]

class LRScheduler:
    optimizer: Optimizer
    base_lrs: list[float | Tensor]
    last_epoch: int
    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: dict[str, Any]) -> None: ...
    def get_last_lr(self) -> list[float | Tensor]: ...
    def get_lr(self) -> list[float | Tensor]: ...
    def step(self, epoch: int | None = None) -> None: ...

class _LRScheduler(LRScheduler): ...

class LambdaLR(LRScheduler):
    lr_lambdas: list[_Factor]
    def __init__(
        self, optimizer: Optimizer, lr_lambda: _Factor | Sequence[_Factor], last_epoch: int = -1
    ) -> None: ...

class MultiplicativeLR(LRScheduler):
    lr_lambdas: list[_Factor]
    def __init__(
        self, optimizer: Optimizer, lr_lambda: _Factor | Sequence[_Factor], last_epoch: int = -1
    ) -> None: ...

class StepLR(LRScheduler):
    step_size: int
    gamma: float
    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None: ...

class MultiStepLR(LRScheduler):
    milestones: Counter[int]
    gamma: float
    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None: ...

class ConstantLR(LRScheduler):
    factor: float
    total_iters: int
    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = ...,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None: ...

class LinearLR(LRScheduler):
    start_factor: float
    end_factor: float
    total_iters: int
    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = ...,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None: ...

class ExponentialLR(LRScheduler):
    gamma: float
    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None: ...

class PolynomialLR(LRScheduler):
    total_iters: int
    power: float
    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None: ...

class CosineAnnealingLR(LRScheduler):
    T_max: int
    eta_min: float
    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None: ...

class CosineAnnealingWarmRestarts(LRScheduler):
    T_0: int
    T_i: int
    T_mult: int
    T_cur: float
    eta_min: float
    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None: ...
    def step(self, epoch: float | None = None) -> None: ...

class CyclicLR(LRScheduler):
    max_lrs: list[float]
    total_size: float
    step_ratio: float
    mode: str
    gamma: float
    scale_mode: str
    cycle_momentum: bool
    base_momentums: list[float]
    max_momentums: list[float]
    use_beta1: bool
    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: _Rate,
        max_lr: _Rate,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: _Rate = 0.8,
        max_momentum: _Rate = 0.9,
        last_epoch: int = -1,
    ) -> None: ...
    def scale_fn(self, x: float) -> float: ...

class OneCycleLR(LRScheduler):
    total_steps: int
    cycle_momentum: bool
    use_beta1: bool
    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: _Rate,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: _Rate = 0.85,
        max_momentum: _Rate = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None: ...

class SequentialLR(LRScheduler):
    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None: ...
    def recursive_undo(self, sched: LRScheduler | None = None) -> None: ...
    def step(self) -> None: ...  # type: ignore[override]

class ChainedScheduler(LRScheduler):
    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None: ...
    def step(self) -> None: ...  # type: ignore[override]

class ReduceLROnPlateau(LRScheduler):
    factor: float
    min_lrs: list[float]
    patience: int
    cooldown: int
    cooldown_counter: int
    eps: float
    mode: str
    threshold: float
    threshold_mode: str
    best: float
    num_bad_epochs: int
    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: _Rate = 0,
        eps: float = 1e-8,
    ) -> None: ...
    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None: ...  # type: ignore[override]
    @property
    def in_cooldown(self) -> bool: ...
