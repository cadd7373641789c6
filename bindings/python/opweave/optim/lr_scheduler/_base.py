"""LRScheduler: what all schedulers share."""

import contextlib
import functools
import warnings
import weakref

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._arguments import _param_groups_val_list, _update_param_group_val

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible: "
    "call `scheduler.step()` without it. With it the learning rate comes from the closed form, where "
    "the scheduler has one, not from the last learning rate."
)
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization, so "
    "that nothing notices its calls. Make the scheduler after that, and call `optimizer.step()` before "
    "`lr_scheduler.step()`."
)
_TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate of the "
    "schedule is never used. Call `optimizer.step()` first, then `lr_scheduler.step()`."
)
_ASKED_OUTSIDE = (
    "To get the last learning rate computed by the scheduler, please use `get_last_lr()`: `get_lr()` is for "
    "`step()`, and computes the next one from it."
)


@contextlib.contextmanager
def _flag(scheduler, name):
    setattr(scheduler, name, True)
    try:
        yield scheduler
    finally:
        setattr(scheduler, name, False)


def _enable_get_lr_call(o):
    """While the scheduler itself calls get_lr()."""
    return _flag(o, "_get_lr_called_within_step")


def _initial_mode(o):
    """While the scheduler sets its first learning rate."""
    return _flag(o, "_is_initial")


def _warn_get_lr_called_within_step(lr_scheduler):
    """Every get_lr() calls this, to warn of callers other than step()."""
    if not lr_scheduler._get_lr_called_within_step:
        warnings.warn(_ASKED_OUTSIDE, UserWarning, stacklevel=3)


def _notice_steps(optimizer):
    """Has the optimizer note that its step() was called, for the warning of one that comes too late."""
    step = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    # The optimizer holds what is made here, and must not hold itself with it: no bound method.
    owner = weakref.ref(optimizer)
    bind = getattr(getattr(step, "__func__", None), "__get__", None)
    plain = None if bind else step

    @functools.wraps(getattr(step, "__func__", step))
    def noticed(*args, **kwargs):
        optimizer = owner()
        optimizer._opt_called = True
        return (bind(optimizer, type(optimizer)) if bind else plain)(*args, **kwargs)

    noticed._wrapped_by_lr_sched = True
    optimizer.step = noticed


class LRScheduler:
    """Base class of schedulers, which set the learning rate of an optimizer's groups at every step().

    A subclass defines `get_lr()`, which returns a learning rate for each group, from `self.last_epoch`,
    `self.base_lrs` (the rates at the start) and the rates that `self.optimizer.param_groups` has now.
    It may define `_get_closed_form_lr()`, which needs only the first two.

    Args:
        optimizer: whose learning rates are set.
        last_epoch: the epoch after which a run is resumed; -1 starts one.
    """

    _get_lr_called_within_step = False
    _is_initial = False
    # Of our own: arguments, and what is expected of them where no learning rate follows from them.
    _settings = ()
    _expected = ""

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer = arguments.optimizer_of(self, optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", arguments.copied(group["lr"]))
        for i, group in enumerate(optimizer.param_groups):
            if "initial_lr" not in group:
                raise KeyError(
                    f"{type(self).__name__}: last_epoch: got {last_epoch!r}, to resume a run, but param "
                    f"'initial_lr' is not specified in param_groups[{i}]. Expected an optimizer that has "
                    "loaded the state of that run, or -1 for a new run"
                )
        self.base_lrs = _param_groups_val_list(optimizer, "initial_lr")
        self.last_epoch = arguments.number(self, "last_epoch", last_epoch)
        _notice_steps(optimizer)
        self._initial_step()

    def _initial_step(self):
        """Sets the learning rate of the first epoch."""
        self._step_count = 0
        with _initial_mode(self):
            self.step()

    def __setstate__(self, state):
        """A copy, whose optimizer is a copy too and knows nothing of it."""
        self.__dict__.update(state)
        if "_step_count" in state:
            _notice_steps(self.optimizer)

    def state_dict(self):
        """All that the scheduler has, without its optimizer."""
        return self._state_without()

    def _state_without(self, *names):
        return {k: v for k, v in self.__dict__.items() if k != "optimizer" and k not in names}

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` returned. Learning rates themselves are in the optimizer's state."""
        self.__dict__.update(arguments.entries(self, state_dict))

    def get_last_lr(self):
        """The learning rates that the last step set, one for each group."""
        return self._last_lr

    def get_lr(self):
        """The learning rates for `self.last_epoch`. Called by `step()`, with the rates before it in place."""
        raise NotImplementedError(
            f"{type(self).__name__}: expected a method get_lr() that returns a learning rate for each group, "
            "got none"
        )

    def step(self, epoch=None):
        """Goes to the next epoch and sets its learning rates.

        Args:
            epoch: the epoch to go to (deprecated).
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            arguments.number(self, "epoch", epoch)
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        with _enable_get_lr_call(self):
            rates = self._computed(closed or self.get_lr)
        self._set_rates(rates)

    def _computed(self, compute):
        """The rates, or which arguments leave none."""
        try:
            return compute()
        except (OverflowError, ZeroDivisionError) as error:
            if not self._settings:
                raise
            given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._settings)
            raise arguments.kind_of(error)(
                f"{type(self).__name__}: no learning rate at epoch {self.last_epoch} ({error}): got {given}, "
                f"expected {self._expected}"
            ) from error

    def _set_rates(self, rates):
        for rate, group in self._by_group("get_lr()", rates):
            _update_param_group_val(group, "lr", rate)
        self._last_lr = _param_groups_val_list(self.optimizer, "lr")

    def _by_group(self, name, values):
        """Each value and its group."""
        groups = self.optimizer.param_groups
        values = list(values)
        if len(values) != len(groups):
            raise ValueError(
                f"{type(self).__name__}: {name}: expected a value for each of the optimizer's {len(groups)} "
                f"param_groups, got {len(values)}; groups that are added later are not in the schedule"
            )
        return list(zip(values, groups, strict=True))

    # --- what get_lr() of the schedulers here returns
    def _same_rates(self):
        return _param_groups_val_list(self.optimizer, "lr")

    def _scaled_rates(self, factor):
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _scaled_base(self, factor):
        return [base * factor for base in self.base_lrs]


class _LRScheduler(LRScheduler):
    """The name that the base class had before; subclasses of it still exist."""
