"""Learning rate schedulers, after torch.optim.lr_scheduler."""

from opweave.optim.lr_scheduler._arguments import (
    _format_param,
    _param_groups_val_list,
    _update_param_group_val,
)
from opweave.optim.lr_scheduler._base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _enable_get_lr_call,
    _initial_mode,
    _LRScheduler,
    _warn_get_lr_called_within_step,
)
from opweave.optim.lr_scheduler._composed import ChainedScheduler, SequentialLR
from opweave.optim.lr_scheduler._cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from opweave.optim.lr_scheduler._cycles import CyclicLR
from opweave.optim.lr_scheduler._factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from opweave.optim.lr_scheduler._one_cycle import OneCycleLR
from opweave.optim.lr_scheduler._plateau import ReduceLROnPlateau

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

# Pickled schedulers, and texts, name the module in which programs find them.
for _name in (*__all__, "_LRScheduler"):
    globals()[_name].__module__ = __name__
