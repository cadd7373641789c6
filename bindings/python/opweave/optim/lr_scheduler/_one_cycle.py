"""OneCycleLR: one long cycle that ends far below where it began."""

import math

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._arguments import _format_param
from opweave.optim.lr_scheduler._base import _warn_get_lr_called_within_step
from opweave.optim.lr_scheduler._cycles import _Cycling

_NAME = "OneCycleLR"


def _positive(name, value):
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"{_NAME}: Expected positive integer {name}, but got {value!r}")
    return value


def _total(total_steps, epochs, steps_per_epoch):
    if total_steps is not None:
        return _positive("total_steps", arguments.number(_NAME, "total_steps", total_steps))
    if epochs is None or steps_per_epoch is None:
        raise ValueError(
            f"{_NAME}: expected either total_steps OR (epochs AND steps_per_epoch), got "
            f"total_steps=None, epochs={epochs}, steps_per_epoch={steps_per_epoch}"
        )
    return _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)


def _check_start(pct_start):
    if not isinstance(pct_start, str):
        arguments.number(_NAME, "pct_start", pct_start)
    if not isinstance(pct_start, float) or pct_start < 0 or pct_start > 1:
        raise ValueError(
            f"{_NAME}: Expected float between 0 and 1 pct_start, but got {arguments.shown(pct_start)}"
        )


def _phase(end, rates, momentums):
    (start_lr, end_lr), (start_momentum, end_momentum) = rates, momentums
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }


def _phases(total, pct_start, three_phase):
    """Where each phase ends, and which options of a group it goes from and to."""
    low, high = "base_momentum", "max_momentum"
    up = _phase(float(pct_start * total) - 1, ("initial_lr", "max_lr"), (high, low))
    if not three_phase:
        return [up, _phase(total - 1, ("max_lr", "min_lr"), (low, high))]
    back = float(2 * pct_start * total) - 2
    return [
        up,
        _phase(back, ("max_lr", "initial_lr"), (low, high)),
        _phase(total - 1, ("initial_lr", "min_lr"), (high, high)),
    ]


class OneCycleLR(_Cycling):
    """Up from `max_lr / div_factor` to `max_lr`, and down to `max_lr / div_factor / final_div_factor`: Smith
    and Topin, "Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates" (2018).
    For a step() after every batch, `total_steps` of them, or `epochs` times `steps_per_epoch`.

    Args:
        pct_start: the part of the cycle in which the learning rate goes up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether momentum goes from `max_momentum` to `base_momentum` and back.
        three_phase: whether it goes back to where it began before it goes on, in a line of its own.
    """

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
        last_epoch=-1,
    ):
        self.optimizer = arguments.optimizer_of(self, optimizer)
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        _check_start(pct_start)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"{_NAME}: anneal_strategy: expected 'cos' or 'linear', got "
                f"{arguments.shown(anneal_strategy)}"
            )
        self._anneal_func_type = anneal_strategy
        most = _format_param("max_lr", optimizer, max_lr, self)
        if last_epoch == -1:
            self._set_bounds(most, div_factor, final_div_factor)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _set_bounds(self, most, div_factor, final_div_factor):
        arguments.numbers(self, div_factor=div_factor, final_div_factor=final_div_factor)
        try:
            for high, group in zip(most, self.optimizer.param_groups, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        except ZeroDivisionError:
            raise ZeroDivisionError(
                f"{_NAME}: div_factor and final_div_factor: expected numbers other than 0, got "
                f"{div_factor} and {final_div_factor}"
            ) from None

    def _anneal_func(self, start, end, pct):
        if not hasattr(
            self, "_anneal_func_type"
        ):  # of an older file, which has the function itself
            return self.anneal_func(start, end, pct)
        cosine = self._anneal_func_type == "cos"
        return (self._annealing_cos if cosine else self._annealing_linear)(start, end, pct)

    @staticmethod
    def _annealing_cos(start, end, pct):
        """From `start` to `end` as `pct` goes from 0 to 1."""
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start, end, pct):
        return (end - start) * pct + start

    def _place(self):
        """The phase of this step, and how much of it is over."""
        begin = 0.0
        for phase in self._schedule_phases[:-1]:
            if self.last_epoch <= phase["end_step"]:
                break
            begin = phase["end_step"]
        else:
            phase = self._schedule_phases[-1]
        if phase["end_step"] == begin:
            raise ZeroDivisionError(
                f"{_NAME}: pct_start: got a phase of {self.total_steps} total_steps that begins and ends at "
                f"step {begin}, expected a pct_start, or total_steps, that leaves every phase some"
            )
        return phase, (self.last_epoch - begin) / (phase["end_step"] - begin)

    def get_lr(self):
        """Sets momentum as well, where it cycles."""
        _warn_get_lr_called_within_step(self)
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"{_NAME}: Tried to step {self.last_epoch} times, got {self.total_steps} total_steps, "
                "expected no more steps than these"
            )
        phase, part = self._place()
        rates = []
        for group in self.optimizer.param_groups:
            bounds = arguments.options(self, group, phase["start_lr"], phase["end_lr"])
            rates.append(self._anneal_func(*bounds, part))
            if self.cycle_momentum:
                ends = phase["start_momentum"], phase["end_momentum"]
                bounds = arguments.options(self, group, *ends)
                self._set_momentum(group, self._anneal_func(*bounds, part))
        return rates
