"""Schedulers that follow a cosine from the first learning rate down to `eta_min`."""

import math

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._base import (
    LRScheduler,
    _enable_get_lr_call,
    _warn_get_lr_called_within_step,
)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine in `T_max` epochs, and up again in as many: Loshchilov and Hutter, "SGDR: Stochastic
    Gradient Descent with Warm Restarts" (ICLR 2017), without the restarts.
    """

    _settings = ("T_max", "eta_min")
    _expected = "a T_max other than 0"

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):  # noqa: N803
        arguments.numbers(self, T_max=T_max, eta_min=eta_min)
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """From the last rate, so that the changes of others stay in it."""
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._same_rates()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._on_the_curve(self.last_epoch * math.pi / self.T_max)
        # At the lowest point the last rate says nothing of how far it is to the top.
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = 1 - math.cos(math.pi / self.T_max)
            return [
                group["lr"] + (base - self.eta_min) * rise / 2
                for base, group in self._by_group("base_lrs", self.base_lrs)
            ]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [
            now / before * (group["lr"] - self.eta_min) + self.eta_min
            for group in self.optimizer.param_groups
        ]

    def _on_the_curve(self, angle):
        return [
            self.eta_min + (base - self.eta_min) * (1 + math.cos(angle)) / 2
            for base in self.base_lrs
        ]

    def _get_closed_form_lr(self):
        return self._on_the_curve(math.pi * self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine in `T_0` epochs, then again from the top, each time in `T_mult` times as many epochs:
    Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (ICLR 2017).

    `step(epoch)` takes fractions, to change the learning rate within an epoch.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):  # noqa: N803
        arguments.numbers(self, T_0=T_0, T_mult=T_mult)
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(
                f"CosineAnnealingWarmRestarts: Expected positive integer T_0, but got {T_0}"
            )
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(
                f"CosineAnnealingWarmRestarts: Expected integer T_mult >= 1, but got {T_mult}"
            )
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                "CosineAnnealingWarmRestarts: Expected float or int eta_min, but got "
                f"{arguments.shown(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        return [
            self.eta_min
            + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
            for base in self.base_lrs
        ]

    def step(self, epoch=None):
        """Goes to the next epoch, or to any, whole or not, and sets its learning rates."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self._advance()
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with _enable_get_lr_call(self):
            rates = self.get_lr()
        self._set_rates(rates)

    def _advance(self):
        self.T_cur = self.T_cur + 1
        if self.T_cur >= self.T_i:
            self.T_cur = self.T_cur % self.T_i
            self.T_i = self.T_i * self.T_mult

    def _go_to(self, epoch):
        arguments.number(self, "epoch", epoch)
        if epoch < 0:
            raise ValueError(f"{type(self).__name__}: Expected non-negative epoch, but got {epoch}")
        try:
            math.floor(epoch)
        except (OverflowError, ValueError) as error:
            raise arguments.kind_of(error)(
                f"{type(self).__name__}: epoch: expected a finite number, got {epoch}"
            ) from None
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            restarts = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            begun = self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_cur = epoch - begun
            self.T_i = self.T_0 * self.T_mult**restarts
