"""ReduceLROnPlateau: the learning rate falls when a metric no longer gets better."""

import math
import warnings

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._arguments import _param_groups_val_list, _update_param_group_val
from opweave.optim.lr_scheduler._base import EPOCH_DEPRECATION_WARNING, LRScheduler


def _choice(name, value, choices):
    if not isinstance(value, str):
        raise TypeError(
            f"ReduceLROnPlateau: {name}: expected one of {choices}, got {arguments.shown(value)}"
        )
    if value not in choices:
        raise ValueError(
            f"ReduceLROnPlateau: {name}: expected one of {choices}, got {value!r}, which is unknown"
        )
    return value


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when the metric that `step(metrics)` is given has not got better for more than
    `patience` steps.

    Args:
        optimizer: whose learning rates are set.
        mode: "min" if less is better, "max" if more is.
        threshold: by how much it has to be better to count: as a part of the best (`threshold_mode="rel"`) or
            as it is ("abs").
        cooldown: steps after a reduction in which nothing is counted.
        min_lr: the least learning rate, or a list of one for each group.
        eps: a reduction by less than that is not made.
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        arguments.numbers(
            self, factor=factor, patience=patience, threshold=threshold, cooldown=cooldown, eps=eps
        )
        if factor >= 1.0:
            raise ValueError(
                f"ReduceLROnPlateau: factor: expected a number below 1.0, got {factor}"
            )
        self.factor = factor
        self.optimizer = arguments.optimizer_of(self, optimizer)
        self._set_least(min_lr)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = _param_groups_val_list(optimizer, "lr")
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _set_least(self, min_lr):
        count = len(self.optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != count:
            raise ValueError(
                f"ReduceLROnPlateau: min_lr: expected {count} min_lrs, one for each of the optimizer's "
                f"param_groups, got {len(min_lr)}"
            )
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * count
        for i, value in enumerate(self.min_lrs):
            arguments.number(self, f"min_lr[{i}]", value)

    def _reset(self):
        """Forgets the metrics so far."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics, epoch=None):
        """Takes the metric of an epoch.

        Args:
            metrics: a number, or a tensor of one element.
            epoch: which one (deprecated).
        """
        current = self._as_float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = _param_groups_val_list(self.optimizer, "lr")

    def _as_float(self, metrics):
        try:
            return float(metrics)
        except (TypeError, ValueError, RuntimeError) as error:
            raise arguments.kind_of(error)(
                f"{type(self).__name__}: metrics: expected a number or a tensor of one element, got "
                f"{arguments.shown(metrics)}"
            ) from None

    def _reduce_lr(self, epoch):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"ReduceLROnPlateau: min_lr: expected one for each of the optimizer's {len(groups)} "
                    f"param_groups, got {len(self.min_lrs)}: groups were added since. Set `min_lrs` of the "
                    "scheduler to a list of that length"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for least, group in zip(self.min_lrs, groups, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                _update_param_group_val(group, "lr", new)

    @property
    def in_cooldown(self):
        """Whether it is too early to count after a reduction."""
        return self.cooldown_counter > 0

    def _is_better(self, a, best):
        less = self.mode == "min"
        if self.threshold_mode == "rel":
            bound = best * (1.0 - self.threshold if less else self.threshold + 1.0)
        else:
            bound = best - self.threshold if less else best + self.threshold
        return a < bound if less else a > bound

    def _init_is_better(self, mode, threshold, threshold_mode):
        self.mode_worse = -math.inf if _choice("mode", mode, ("min", "max")) == "max" else math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = _choice("threshold_mode", threshold_mode, ("rel", "abs"))

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` returned."""
        super().load_state_dict(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
