# Types of opweave.nn.modules._losses.sequences.
from typing import Any

from opweave import Tensor
from opweave.nn.modules.loss import _Loss
from opweave.nn.modules.module import Module

class AdaptiveLogSoftmaxWithLoss(Module):
    in_features: int
    n_classes: int
    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Any,
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...
    def log_prob(self, input: Tensor) -> Tensor: ...
    def predict(self, input: Tensor) -> Tensor: ...

class CTCLoss(_Loss):
    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None: ...

class MultiLabelMarginLoss(_Loss):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None: ...
