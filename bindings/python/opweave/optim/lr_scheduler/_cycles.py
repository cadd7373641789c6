"""Schedulers that move the learning rate up and down, and momentum the other way."""

import functools
import math
import types

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._arguments import _format_param, _update_param_group_val
from opweave.optim.lr_scheduler._base import LRScheduler, _warn_get_lr_called_within_step


class _Cycling(LRScheduler):
    """Sets momentum, or the first of betas, beside the learning rate."""

    def _begin_momentum(self, base_momentum, max_momentum, fresh):
        """Both by group. Momentum of a new run begins at its largest, as the learning rate at its least."""
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                f"{type(self).__name__}: cycle_momentum: expected an optimizer with momentum or betas, got "
                f"{type(optimizer).__name__}, which must support momentum or beta1; or cycle_momentum=False"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        least = _format_param("base_momentum", optimizer, base_momentum, self)
        most = _format_param("max_momentum", optimizer, max_momentum, self)
        if fresh:
            for low, high, group in zip(least, most, optimizer.param_groups, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return least, most

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


def _steps(owner, name, value):
    try:
        steps = float(value)
        if not math.isfinite(steps):
            raise ValueError
        return steps
    except (TypeError, ValueError) as error:
        raise arguments.kind_of(error)(
            f"{arguments.of(owner)}: {name}: expected a number of steps, got {arguments.shown(value)}"
        ) from None


class CyclicLR(_Cycling):
    """From `base_lr` to `max_lr` in `step_size_up` steps and back in `step_size_down`, again and again:
    Smith, "Cyclical Learning Rates for Training Neural Networks" (WACV 2017). For a step() after every batch.

    Args:
        mode: "triangular" (all cycles as high), "triangular2" (each half as high as the one before) or
            "exp_range" (times `gamma` at every step).
        scale_fn: the height in the place of `mode`, of the cycle or the step, as `scale_mode` says:
            "cycle" or "iterations".
        cycle_momentum: whether momentum goes from `max_momentum` to `base_momentum` and back, against the
            learning rate.
    """

    _settings = ("total_size", "mode", "gamma")
    _expected = "cycles whose height is a finite number"

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        cycle_momentum=True,
        base_momentum=0.8,
        max_momentum=0.9,
        last_epoch=-1,
    ):
        self.optimizer = arguments.optimizer_of(self, optimizer)
        base_lrs = _format_param("base_lr", optimizer, base_lr, self)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                _update_param_group_val(group, "lr", rate)
        self.max_lrs = _format_param("max_lr", optimizer, max_lr, self)
        self._set_sizes(step_size_up, step_size_down)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(
                "CyclicLR: mode: expected 'triangular', 'triangular2' or 'exp_range', got "
                f"{arguments.shown(mode)}, which is invalid, and scale_fn is None"
            )
        self.mode = mode
        self.gamma = gamma
        if scale_fn is None and mode == "exp_range":
            arguments.number(self, "gamma", gamma)
        elif scale_fn is not None:
            arguments.callable_of(self, "scale_fn", scale_fn)
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._begin_momentum(
                base_momentum, max_momentum, last_epoch == -1
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _set_sizes(self, step_size_up, step_size_down):
        up = _steps(self, "step_size_up", step_size_up)
        down = up if step_size_down is None else _steps(self, "step_size_down", step_size_down)
        self.total_size = up + down
        if self.total_size == 0:
            raise ZeroDivisionError(
                "CyclicLR: step_size_up and step_size_down: expected a cycle of more than 0 steps, got "
                f"{up} and {down}"
            )
        self.step_ratio = up / self.total_size

    def _init_scale_fn(self):
        if self._scale_fn_custom is not None:
            return
        if self.mode == "exp_range":
            self._scale_fn_ref = functools.partial(self._exp_range_scale_fn, self.gamma)
            self.scale_mode = "iterations"
            return
        first = self.mode == "triangular"
        self._scale_fn_ref = self._triangular_scale_fn if first else self._triangular2_scale_fn
        self.scale_mode = "cycle"

    def scale_fn(self, x):
        """The height of cycle `x`, or of step `x`, as a part of what it is at first."""
        custom = self._scale_fn_custom
        if custom is None:
            return self._scale_fn_ref(x)
        return arguments.number(self, "the answer of scale_fn", custom(x))

    @staticmethod
    def _triangular_scale_fn(x):
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x):
        return 1 / 2.0 ** (x - 1)

    @staticmethod
    def _exp_range_scale_fn(gamma, x):
        return gamma**x

    def get_lr(self):
        """Sets momentum as well, where it cycles."""
        _warn_get_lr_called_within_step(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        ratio = self.step_ratio
        if x <= ratio == 0:
            raise ZeroDivisionError("CyclicLR: step_size_up: expected more than 0 steps, got 0")
        part = x / ratio if x <= ratio else (x - 1) / (ratio - 1)

        def height(low, high):
            return (high - low) * part * self.scale_fn(at)

        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        rates = [
            low + height(low, high) for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            momentums = [high - height(low, high) for low, high in bounds]
            for momentum, group in self._by_group("base_momentums", momentums):
                self._set_momentum(group, momentum)
        return rates

    def state_dict(self):
        """All that the scheduler has, of `scale_fn` only the attributes of an object that is no function."""
        saved = self._state_without("_scale_fn_ref", "_scale_fn_custom")
        custom = self._scale_fn_custom
        kept = not isinstance(custom, (types.FunctionType, types.NoneType))
        saved["_scale_fn_custom"] = (
            dict(vars(custom)) if kept and hasattr(custom, "__dict__") else None
        )
        return saved

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` returned; `scale_fn` is what the scheduler was made with."""
        saved = arguments.entries(self, state_dict, "_scale_fn_custom")
        attributes = saved.pop("_scale_fn_custom")
        self.__dict__.update(saved)
        if attributes is not None:
            if self._scale_fn_custom is None:
                raise AttributeError(
                    "CyclicLR: state_dict: has the attributes of a scale_fn, expected a scheduler that "
                    "was made with one, got scale_fn=None"
                )
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()
