"""What a rank without data does in the place of a DistributedDataParallel that has some."""

import opweave as ow
import opweave.distributed as dist
from opweave.distributed.algorithms.join import JoinHook
from opweave.nn.parallel._states import broadcast_all


def agree_on_reduction(model, reduces):
    """Whether any rank reduces the gradients of this pass; a call of every rank."""
    told = ow.full((1,), float(reduces), device=model.device)
    dist.all_reduce(told, op=dist.ReduceOp.MAX, group=model.process_group)
    return bool(told.item())


def highest_rank(model, counts):
    """The highest rank that counts; a call of every rank."""
    rank = model.process_group.rank() if counts else -1
    told = ow.full((1,), float(rank), device=model.device)
    dist.all_reduce(told, op=dist.ReduceOp.MAX, group=model.process_group)
    return int(told.item())


class DataParallelJoinHook(JoinHook):
    """Sends zeros where the others send gradients; takes the parameters of the last rank at the end."""

    def __init__(self, model, divide_by_initial_world_size):
        self._model = model
        model._divides_by_all = divide_by_initial_world_size

    def main_hook(self):
        model = self._model
        if not agree_on_reduction(model, False):
            return
        if model.will_sync_module_buffers():
            broadcast_all(model._buffers_to_sync(), model.process_group, highest_rank(model, False))
        model._reducer.shadow_pass()

    def post_hook(self, is_last_joiner):
        model = self._model
        source = highest_rank(model, is_last_joiner)
        tensors = model._parameters_to_sync()
        if model.forward_sync_buffers:
            tensors += model._buffers_to_sync()
        broadcast_all(tensors, model.process_group, source)
