"""The cross entropy of a linear layer's results, with the layer."""

import math

from opweave.nn import functional
from opweave.nn.modules.linear import Linear
from opweave.nn.modules.loss import _WeightedLoss


class LinearCrossEntropyLoss(_WeightedLoss):
    """cross_entropy() of what a linear layer of its own makes of the input.

    Args:
        in_features, num_classes: the sizes of the layer.
        out_features: sizes of several classifications of a row.
        bias: whether the layer has one.
        weight, reduction, ignore_index, label_smoothing: those of CrossEntropyLoss.
        options: None: logits are not computed in chunks.
    """

    def __init__(
        self,
        in_features,
        num_classes,
        *,
        out_features=(),
        bias=False,
        device=None,
        dtype=None,
        weight=None,
        reduction="mean",
        ignore_index=None,
        label_smoothing=0.0,
        options=None,
    ):
        if weight is not None and list(weight.shape) != [num_classes]:
            raise RuntimeError(
                f"LinearCrossEntropyLoss: expected weight shape to be {(num_classes,)}, got "
                f"{tuple(weight.shape)}"
            )
        if label_smoothing < 0 or label_smoothing > 1:
            raise RuntimeError(
                "LinearCrossEntropyLoss: expected label_smoothing to be in range [0, 1], got "
                f"{label_smoothing}"
            )
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        rows = num_classes * math.prod(self.out_features)
        self.linear = Linear(in_features, rows, bias, device, dtype)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.options = options

    def forward(self, input, target):
        rows = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return functional.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*rows, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(rows),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self):
        told = [f"in_features={self.linear.in_features}"]
        told += [f"{n}={getattr(self, n)}" for n in ("num_classes", "out_features")]
        told.append(f"bias={self.linear.bias is not None}")
        names = ("reduction", "ignore_index", "label_smoothing", "options")
        return ", ".join(told + [f"{n}={getattr(self, n)}" for n in names])
