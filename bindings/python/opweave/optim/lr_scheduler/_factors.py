"""Schedulers that multiply the learning rate by a factor, which depends on the epoch."""

import types
from bisect import bisect_right
from collections import Counter

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._base import LRScheduler, _warn_get_lr_called_within_step


class _Functions(LRScheduler):
    """With a function of the epoch for each group. Saved is what function objects have, not their code."""

    def _take_functions(self, optimizer, lr_lambda):
        self.optimizer = arguments.optimizer_of(self, optimizer, AttributeError)
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(
                f"{type(self).__name__}: lr_lambda: Expected {count} lr_lambdas, one for each of the "
                f"optimizer's param_groups, but got {len(lr_lambda)}"
            )
        self.lr_lambdas = [
            arguments.callable_of(self, f"lr_lambda[{i}]", function)
            for i, function in enumerate(lr_lambda)
        ]

    def state_dict(self):
        """All that the scheduler has, of `lr_lambda` only the attributes of objects that are no functions."""
        saved = self._state_without("lr_lambdas")
        saved["lr_lambdas"] = [_attributes(function) for function in self.lr_lambdas]
        return saved

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` returned; the functions are those that the scheduler was made with."""
        saved = arguments.entries(self, state_dict, "lr_lambdas")
        functions = saved.pop("lr_lambdas")
        if len(functions) > len(self.lr_lambdas):
            raise IndexError(
                f"{type(self).__name__}: state_dict: expected at most {len(self.lr_lambdas)} lr_lambdas, got "
                f"{len(functions)}"
            )
        self.__dict__.update(saved)
        for mine, theirs in zip(self.lr_lambdas, functions, strict=False):
            if theirs is not None:
                mine.__dict__.update(theirs)

    def _factors(self, count):
        if len(self.lr_lambdas) != count:
            raise ValueError(
                f"{type(self).__name__}: lr_lambda: expected {count} functions, one for each of the "
                f"optimizer's param_groups, got {len(self.lr_lambdas)}"
            )
        for i, function in enumerate(self.lr_lambdas):
            yield arguments.number(self, f"the answer of lr_lambda[{i}]", function(self.last_epoch))


def _attributes(function):
    kept = not isinstance(function, types.FunctionType) and hasattr(function, "__dict__")
    return function.__dict__.copy() if kept else None


class LambdaLR(_Functions):
    """The first learning rate times a function of the epoch.

    Args:
        optimizer: whose learning rates are set.
        lr_lambda: epoch -> factor, or a list of such functions, one for each group.
        last_epoch: the epoch after which a run is resumed; -1 starts one.
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self._take_functions(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        factors = self._factors(len(self.base_lrs))
        return [base * factor for base, factor in zip(self.base_lrs, factors, strict=True)]


class MultiplicativeLR(_Functions):
    """The last learning rate times a function of the epoch.

    Args:
        optimizer: whose learning rates are set.
        lr_lambda: epoch -> factor, or a list of such functions, one for each group.
        last_epoch: the epoch after which a run is resumed; -1 starts one.
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self._take_functions(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._same_rates()
        groups = self.optimizer.param_groups
        factors = self._factors(len(groups))
        return [group["lr"] * factor for group, factor in zip(groups, factors, strict=True)]


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    _settings = ("step_size", "gamma")
    _expected = "a step_size other than 0 and a gamma whose powers are finite"

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        arguments.numbers(self, step_size=step_size, gamma=gamma)
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled_rates(self.gamma) if due else self._same_rates()

    def _get_closed_form_lr(self):
        return self._scaled_base(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Times `gamma` at each epoch of `milestones`; at one that is there twice, twice."""

    _settings = ("milestones", "gamma")
    _expected = "a gamma whose powers are finite"

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        try:
            self.milestones = Counter(milestones)
        except TypeError:
            raise TypeError(
                f"MultiStepLR: milestones: expected a list of epochs, got {arguments.shown(milestones)}"
            ) from None
        self.gamma = arguments.number(self, "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        if self.last_epoch not in self.milestones:
            return self._same_rates()
        return self._scaled_rates(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return self._scaled_base(self.gamma**passed)


class ConstantLR(LRScheduler):
    """Times `factor` until epoch `total_iters`, then the first learning rate; with None, always."""

    _settings = ("factor", "total_iters")
    _expected = "a factor other than 0, from which the first learning rate can be had back"

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        arguments.numbers(self, factor=factor)
        if total_iters is not None:
            arguments.number(self, "total_iters", total_iters)
        if factor > 1.0 or factor < 0:
            raise ValueError(f"ConstantLR: factor: expected a number between 0 and 1, got {factor}")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0:
            return self._scaled_rates(self.factor)
        if self.last_epoch == self.total_iters:
            return self._scaled_rates(1.0 / self.factor)
        return self._same_rates()

    def _get_closed_form_lr(self):
        over = self.last_epoch >= self.total_iters
        return self._scaled_base(self.factor + over * (1 - self.factor))


class LinearLR(LRScheduler):
    """Times a factor that goes from `start_factor` to `end_factor` in a line, in `total_iters` epochs."""

    _settings = ("start_factor", "end_factor", "total_iters")
    _expected = "a total_iters other than 0"

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1
    ):
        arguments.numbers(
            self, start_factor=start_factor, end_factor=end_factor, total_iters=total_iters
        )
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "LinearLR: start_factor: expected a number greater than 0 and at most 1, got "
                f"{start_factor}"
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(
                f"LinearLR: end_factor: expected a number between 0 and 1, got {end_factor}"
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        if self.last_epoch == 0:
            return self._scaled_rates(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._same_rates()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._scaled_rates(1.0 + rise / before)

    def _get_closed_form_lr(self):
        rise = self.end_factor - self.start_factor
        steps = min(self.total_iters, self.last_epoch)
        return self._scaled_base(self.start_factor + rise * steps / self.total_iters)


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    _settings = ("gamma",)
    _expected = "a gamma whose powers are finite"

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = arguments.number(self, "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        return self._same_rates() if self._is_initial else self._scaled_rates(self.gamma)

    def _get_closed_form_lr(self):
        return self._scaled_base(self.gamma**self.last_epoch)


class PolynomialLR(LRScheduler):
    """Times (1 - epoch / total_iters) ** power, until that is 0."""

    _settings = ("total_iters", "power")
    _expected = "a total_iters other than 0 and a power of at least 0"

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        arguments.numbers(self, total_iters=total_iters, power=power)
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _left(self, epoch):
        return 1.0 - epoch / self.total_iters

    def get_lr(self):
        _warn_get_lr_called_within_step(self)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._same_rates()
        factor = (self._left(self.last_epoch) / self._left(self.last_epoch - 1)) ** self.power
        return self._scaled_rates(factor)

    def _get_closed_form_lr(self):
        left = self._left(min(self.total_iters, self.last_epoch))
        return self._scaled_base(left**self.power)
