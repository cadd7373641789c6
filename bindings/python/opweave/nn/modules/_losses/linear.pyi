# Types of opweave.nn.modules._losses.linear.
from collections.abc import Sequence
from typing import Any

from opweave import Tensor
from opweave.nn.modules.linear import Linear
from opweave.nn.modules.loss import _WeightedLoss

class LinearCrossEntropyLoss(_WeightedLoss):
    linear: Linear
    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: Sequence[int] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        weight: Tensor | None = None,
        reduction: str = "mean",
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: None = None,
    ) -> None: ...
