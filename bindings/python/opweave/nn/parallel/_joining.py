"""What a rank without data does in the place of a DistributedDataParallel that has some."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from opweave import _C
from opweave.distributed import _collectives
from opweave.distributed._reductions import ReduceOp
from opweave.distributed.algorithms.join import Join, Joinable, JoinHook
from opweave.nn.parallel._states import broadcast_all


def agree_on_reduction(model, reduces):
    """Whether any rank reduces the gradients of this pass; a call of every rank."""
    told = _C.full((1,), float(reduces), device=model.device)
    _collectives.all_reduce(told, op=ReduceOp.MAX, group=model.process_group)
    return bool(told.item())


def highest_rank(model, counts):
    """The highest rank that counts; a call of every rank."""
    rank = model.process_group.rank() if counts else -1
    told = _C.full((1,), float(rank), device=model.device)
    _collectives.all_reduce(told, op=ReduceOp.MAX, group=model.process_group)
    return int(told.item())


class DataParallelJoinHook(JoinHook):
    """Sends zeros where the others send gradients; takes the parameters of the last rank at the end."""

    def __init__(self, model, divide_by_initial_world_size):
        self._model = model
        model._divides_by_all = divide_by_initial_world_size

    def main_hook(self):
        model = self._model
        reduces = agree_on_reduction(model, False)
        if model.will_sync_module_buffers():
            broadcast_all(model._buffers_to_sync(), model.process_group, highest_rank(model, False))
        model.require_forward_param_sync = reduces
        if reduces:
            model._reducer.shadow_pass()

    def post_hook(self, is_last_joiner):
        model = self._model
        source = highest_rank(model, is_last_joiner)
        tensors = model._parameters_to_sync()
        if model.forward_sync_buffers:
            tensors += model._buffers_to_sync()
        broadcast_all(tensors, model.process_group, source)


class UnevenBatches(Joinable):
    """The part of a DistributedDataParallel that is about ranks with unequal numbers of batches."""

    def __init__(self):
        super().__init__()
        self._divides_by_all = True

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> AbstractContextManager[Any]:
        """A block in which ranks have unequal numbers of batches: `algorithms.Join` of this model alone.

        Args:
            divide_by_initial_world_size: whether gradients are divided by the number of all ranks, also when
                some have no data left; otherwise by that of those that have.
            enable, throw_on_early_termination: as of `Join`.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs):
        if self._delayed:
            raise NotImplementedError(
                "join(): delay_all_reduce_named_params: a rank without data takes no part in what is reduced "
                "by a hook; let DistributedDataParallel reduce all parameters"
            )
        if self.skip_all_reduce_unused_params:
            raise NotImplementedError(
                "join(): skip_all_reduce_unused_params: a rank without data does not know which buckets the "
                "others leave out; use find_unused_parameters=True alone"
            )
        return DataParallelJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self):
        return self.device

    @property
    def join_process_group(self):
        return self.process_group

    def _tell_ranks_without_data(self):
        if not self._join_config.enable:
            return None
        counted = Join.notify_join_context(self)
        agree_on_reduction(self, self.require_backward_grad_sync)
        return counted

    def _set_divisor(self, counted):
        ranks = self.process_group.size()
        if counted is not None:
            counted.wait()
            ranks = ranks if self._divides_by_all else int(counted.result()[0].item())
        if ranks != self._divisor:
            self._divisor = ranks
            self._reducer.set_divisor(ranks)
