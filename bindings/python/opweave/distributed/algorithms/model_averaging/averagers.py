"""Who averages parameters, and how often: local SGD (Lin et al., "Don't Use Large Mini-Batches, Use Local
SGD", 2020)."""

import warnings

import opweave.distributed as dist
from opweave.distributed.algorithms.model_averaging import utils

__all__ = ["ModelAverager", "PeriodicModelAverager"]

ONE_IS_TOO_OFTEN = (
    "no need to use model averaging because the communication cost of all-reducing parameters will be no "
    "less than the cost of all-reducing gradients by DistributedDataParallel in the backward pass. "
    "Therefore, only DistributedDataParallel should be used for this case."
)


def checked_warmup(warmup_steps):
    """The number of steps; ValueError below 0."""
    if warmup_steps < 0:
        raise ValueError(f"Arg ``warmup_steps`` must be a non-negative number, got {warmup_steps}.")
    return warmup_steps


class ModelAverager:
    """Base class: counts steps, and averages in some of them.

    Args:
        process_group: the default group, for None.
    """

    def __init__(self, process_group=None):
        if type(self).average_parameters is ModelAverager.average_parameters:
            raise TypeError(
                f"Can't instantiate abstract class {type(self).__name__} with abstract method "
                "average_parameters"
            )
        self.process_group = process_group if process_group is not None else _world()
        self.step = 0

    def average_parameters(self, params):
        """What a derived class does in each step."""
        raise NotImplementedError


def _world():
    if not dist.is_initialized():
        raise TypeError(
            "ModelAverager: process_group: expected a ProcessGroup, or None after init_process_group(), "
            "which has not been called"
        )
    return dist.group.WORLD


class PeriodicModelAverager(ModelAverager):
    """Averages parameters every `period` steps, after the first `warmup_steps`.

    Args:
        period: 1 or more.
        warmup_steps: 0 or more.
        process_group: the default group, for None.

    Raises:
        ValueError: another number.
    """

    def __init__(self, period, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        self.warmup_steps = checked_warmup(warmup_steps)
        if period < 1:
            raise ValueError(f"Arg ``period`` must be a positive value, got {period}.")
        if period == 1:
            warnings.warn(f"When period is 1, {ONE_IS_TOO_OFTEN}", stacklevel=2)
        self.period = period

    def average_parameters(self, params):
        """One step; a call of every rank.

        Args:
            params: parameters, or the groups of an optimiser. Those without a gradient stay as they are.
        """
        after = self.step - self.warmup_steps
        if after >= 0 and after % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
