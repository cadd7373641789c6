"""Schedulers made of others: one after the other, and all at once."""

from bisect import bisect_right

from opweave.optim.lr_scheduler import _arguments as arguments
from opweave.optim.lr_scheduler._arguments import _param_groups_val_list, _update_param_group_val
from opweave.optim.lr_scheduler._base import LRScheduler
from opweave.optim.lr_scheduler._plateau import ReduceLROnPlateau


def _check_parts(owner, schedulers, optimizer):
    """That all of them can be stepped without arguments, and set the rates of this optimizer."""
    name = type(owner).__name__
    for i, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(
                f"{name}: schedulers[{i}]: expected a scheduler, which has an `optimizer`, got "
                f"{arguments.shown(scheduler)}"
            )
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"{name}: schedulers[{i}]: got a ReduceLROnPlateau, which is not supported: its step() needs "
                "a metric. Expected one whose step() needs nothing"
            )
        if scheduler.optimizer != optimizer:
            raise ValueError(
                f"{name}: schedulers[{i}]: expected all schedulers to belong to the same optimizer, got a "
                f"{type(scheduler).__name__} of another {type(scheduler.optimizer).__name__}"
            )


class _Composed(LRScheduler):
    """Its state has those of its schedulers."""

    def _parts(self, schedulers):
        if arguments.length(self, "schedulers", schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__}: schedulers: expected at least one scheduler, got no scheduler"
            )
        return schedulers

    def state_dict(self):
        """All that the scheduler has, and the state of each that it is made of."""
        saved = self._state_without("_schedulers")
        saved["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return saved

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` returned, of the same schedulers in the same order."""
        saved = arguments.entries(self, state_dict, "_schedulers")
        states = saved.pop("_schedulers")
        if len(states) > len(self._schedulers):
            raise IndexError(
                f"{type(self).__name__}: state_dict: expected the state of {len(self._schedulers)} "
                f"schedulers, got {len(states)}"
            )
        self.__dict__.update(saved)
        for scheduler, state in zip(self._schedulers, states, strict=False):
            scheduler.load_state_dict(state)


class SequentialLR(_Composed):
    """One scheduler after the other: the next begins at each epoch of `milestones`.

    Args:
        optimizer: of all of them.
        schedulers: in their order, each made for `optimizer`.
        milestones: epochs, one fewer than there are schedulers.
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        self._schedulers = self._parts(schedulers)
        _check_parts(self, schedulers, optimizer)
        if arguments.length(self, "milestones", milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: milestones: expected one fewer than schedulers, {len(schedulers) - 1}, got "
                f"{len(milestones)}"
            )
        for i in range(len(milestones)):
            arguments.number(self, f"milestones[{i}]", milestones[i])
        self._milestones = milestones
        self.last_epoch = arguments.number(self, "last_epoch", last_epoch) + 1
        self.optimizer = optimizer
        # Each scheduler took a step as it was made: only that of the first to run is to be seen.
        for group in optimizer.param_groups:
            _update_param_group_val(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None):
        """Takes back the epoch that each scheduler, also within others, has counted."""
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for part in scheduler._schedulers:
                self.recursive_undo(part)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self):
        """Goes to the next epoch: a step of the scheduler whose turn it is."""
        self.last_epoch += 1
        begun = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[begun]
        if begun > 0 and self._milestones[begun - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composed):
    """A step of all schedulers, one on top of the other.

    Args:
        schedulers: each made for the same optimizer.
        optimizer: that of all of them; the first scheduler's if it is not given.
    """

    def __init__(self, schedulers, optimizer=None):
        parts = self._parts(schedulers)
        if not optimizer and not hasattr(parts[0], "optimizer"):
            raise AttributeError(
                "ChainedScheduler: schedulers[0]: expected a scheduler, which has an `optimizer`, got "
                f"{arguments.shown(parts[0])}"
            )
        optimizer = optimizer or parts[0].optimizer
        _check_parts(self, parts, optimizer)
        self._schedulers = parts
        self.optimizer = optimizer
        self._keep_last()

    def _keep_last(self):
        self._last_lr = _param_groups_val_list(self._schedulers[-1].optimizer, "lr")

    def step(self):
        """A step of each scheduler, in their order."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._keep_last()
