"""Join: training goes on until the last rank has no data left.

Ranks that are done take part in the collectives of those that are not, by a hook of what calls them.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from opweave import _C
from opweave._distributed import ProcessGroup, Work
from opweave.distributed import _collectives, _groups

_MANY = 1000


class JoinHook:
    """What a rank without data does in the place of an object that calls collectives."""

    def main_hook(self) -> None:
        """Calls what the others call in one iteration; as often as one of them has data."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Runs when no rank has data. `is_last_joiner`: whether this one was among the last that had."""


class _JoinConfig(NamedTuple):
    """What an object knows of the context that it is in."""

    enable: bool = False
    throw_on_early_termination: bool = False
    is_first_joinable: bool = False


class Joinable(ABC):
    """An object that calls collectives in each iteration, and can be in a `Join`.

    Its constructor calls this one; before the collectives of an iteration it calls
    `Join.notify_join_context(self)`.
    """

    @abstractmethod
    def __init__(self) -> None:
        self._join_config = _JoinConfig()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """A `JoinHook`; `kwargs` are those of the `Join`, the same for all its objects."""

    @property
    @abstractmethod
    def join_device(self) -> _C.device:
        """The device of the tensors by which ranks tell one another that they have data."""

    @property
    @abstractmethod
    def join_process_group(self) -> ProcessGroup:
        """The group in which they do."""


class Join:
    """A block in which ranks have unequal numbers of iterations.

    A rank that comes to its end runs the hooks of `joinables`, in their order, until all have.

    Args:
        joinables: those that call collectives; all of one group.
        enable: False where the numbers are known to be equal: nothing is done then.
        throw_on_early_termination: whether all ranks raise a RuntimeError as soon as one has no data left.
        kwargs: for `join_hook()` of each.

    ValueError for no joinable, or for several groups; TypeError for what is no `Joinable`.
    """

    def __init__(
        self,
        joinables: list[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        joinables = list(joinables)
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        for joinable in joinables:
            if not isinstance(joinable, Joinable):
                raise TypeError(
                    f"Join: expected objects that are Joinable, got {type(joinable).__name__}"
                )
        if any(j.join_process_group is not joinables[0].join_process_group for j in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._joinables = joinables
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        self._group = joinables[0].join_process_group
        self._device = joinables[0].join_device
        self._rank = _groups.get_rank(self._group)
        for number, joinable in enumerate(joinables):
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, number == 0)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        try:
            if self._enable and kind is None:
                self._follow()
        finally:
            for joinable in self._joinables:
                joinable._join_config = _JoinConfig()

    def _follow(self):
        iterations = 0
        while self._ranks_with_data():
            if self._throws:
                _collectives.all_reduce(_C.ones(1, device=self._device), group=self._group)
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            for hook in self._hooks:
                hook.main_hook()
            iterations += 1
            if iterations == _MANY:
                warnings.warn(
                    f"Join: rank {self._rank} has had no data for {_MANY} iterations of other ranks",
                    stacklevel=4,
                )
        for hook in self._hooks:
            hook.post_hook(iterations == 0)

    def _ranks_with_data(self):
        count = _C.zeros(1, device=self._device)
        _collectives.all_reduce(count, group=self._group)
        return int(count.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tells ranks without data that this one has some; called before an iteration's collectives.

        Returns:
            For the first object of a `Join`, the work of an all_reduce, whose result is the number of ranks
            that have data; for others None.

        RuntimeError where a rank has no data and the block was to raise then.
        """
        config = joinable._join_config
        if not (config.enable and config.is_first_joinable):
            return None
        group, device = joinable.join_process_group, joinable.join_device
        work = _collectives.all_reduce(_C.ones(1, device=device), group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = _C.zeros(1, device=device)
            _collectives.all_reduce(ended, group=group)
            if ended.item():
                raise RuntimeError(
                    "Detected at least one rank that exhausted inputs. Throwing across all ranks."
                )
        return work
