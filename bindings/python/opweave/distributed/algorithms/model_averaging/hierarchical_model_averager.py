"""Averages over small groups often, and over large ones seldom (Lin et al., "Hierarchical Local SGD",
2018)."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import opweave.distributed as dist
from opweave.distributed.algorithms.model_averaging import averagers, utils

__all__ = ["HierarchicalModelAverager"]


class HierarchicalModelAverager(averagers.ModelAverager):
    """In each step the largest period that divides the number of the step says over how many ranks is
    averaged.

    Args:
        period_group_size_dict: {period: size of its groups}, both growing; the last size is that of
            `process_group`.
        warmup_steps: no averages before.
        process_group: the default group, for None.

    Raises:
        ValueError: no periods, one below 1, sizes that do not end with the whole group.
    """

    def __init__(
        self,
        period_group_size_dict: OrderedDict[int, int] | None = None,
        warmup_steps: int = 0,
        process_group: dist.ProcessGroup | None = None,
    ) -> None:
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        self._periods = list(period_group_size_dict)
        if self._periods[0] <= 0:
            raise ValueError(
                "The minimum period in arg ``period_group_size_dict`` must be a positive value, got "
                f"{self._periods[0]}."
            )
        if self._periods[-1] == 1:
            warnings.warn(
                "When the maximum period in arg ``period_group_size_dict`` is 1, "
                + averagers.ONE_IS_TOO_OFTEN,
                stacklevel=2,
            )
        self._make_groups(period_group_size_dict)
        self.warmup_steps = averagers.checked_warmup(warmup_steps)

    def _make_groups(self, sizes):
        whole, last = self.process_group.size(), list(sizes.values())[-1]
        if last != whole:
            raise ValueError(
                f"The last value in arg ``period_group_size_dict`` {last} must be equal to the size of arg "
                f"``process_group`` {whole}."
            )
        self.period_process_group_dict = {
            period: self.process_group
            if size == whole
            else dist.new_subgroups(group_size=size, group=self.process_group)[0]
            for period, size in sizes.items()
        }

    def _find_process_group(self):
        for period in reversed(self._periods):
            if self.step % period == 0:
                return self.period_process_group_dict[period]
        return None

    def average_parameters(self, params: Iterable[Any]) -> None:
        """One step; a call of every rank.

        Args:
            params: parameters, or the groups of an optimiser. Those without a gradient stay as they are.
        """
        group = self._find_process_group() if self.step >= self.warmup_steps else None
        if group is not None:
            utils.average_parameters_or_parameter_groups(params, group)
        self.step += 1
