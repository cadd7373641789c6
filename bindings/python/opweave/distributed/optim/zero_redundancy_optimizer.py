"""ZeroRedundancyOptimizer: each rank keeps the state of its part of the parameters, and updates that.

S. Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models (SC 2020): stage
1, and stage 2 with `shard_gradients()`.
"""

import opweave.distributed as dist
from opweave._grad_mode import no_grad
from opweave._gradients import spread_gradients
from opweave.distributed._arguments import expect
from opweave.distributed.algorithms.join import Join, Joinable, JoinHook
from opweave.distributed.optim import _partition
from opweave.distributed.optim._sharding import ShardGradients
from opweave.optim.optimizer import Optimizer

_NAME = "ZeroRedundancyOptimizer()"


def _take_options(of, to):
    """What a program or a scheduler has changed in groups, in those of another optimiser of the same."""
    for mine, theirs in zip(to, of, strict=True):
        mine.update({name: value for name, value in theirs.items() if name != "params"})


class _Hook(JoinHook):
    """A rank without data updates its part all the same: its gradients are those that the others have."""

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def main_hook(self):
        self._optimizer.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimiser of which every rank has a part; after a step all have all parameters.

    All ranks make it of the same parameters, in the same order, and call `step()` with equal gradients.

    Args:
        params: tensors, or dictionaries with "params" and options.
        optimizer_class: the class of each rank's own; `defaults` are its arguments.
        process_group: the default group, for None.
        parameters_as_bucket_view: whether the parameters of a rank are parts of one tensor, which is sent at
            once; their `data` is exchanged for that.
        overlap_with_ddp: not built; NotImplementedError.

    TypeError and ValueError as of other optimisers.
    """

    def __init__(
        self,
        params,
        optimizer_class,
        process_group=None,
        parameters_as_bucket_view=False,
        overlap_with_ddp=False,
        **defaults,
    ):
        if overlap_with_ddp:
            raise NotImplementedError(
                "overlap_with_ddp: steps within the backward pass are not built. Call step() after it; "
                "shard_gradients(model) has each rank keep the gradients of its own part alone"
            )
        if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, Optimizer)):
            raise TypeError(
                f"optimizer_class: expected a class of optimisers, got {optimizer_class!r}"
            )
        expect(
            process_group,
            dist.ProcessGroup | None,
            _NAME,
            "process_group",
            "a ProcessGroup or None",
        )
        self.process_group = dist.group.WORLD if process_group is None else process_group
        if self.process_group is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        self.world_size = dist.get_world_size(self.process_group)
        self.rank = dist.get_rank(self.process_group)
        self.optim = None
        Joinable.__init__(self)
        Optimizer.__init__(self, params, defaults)
        self._parts = _partition.partition(self.param_groups, self.world_size)
        self.optim = optimizer_class(self._parts[self.rank], **defaults)
        _take_options(self.optim.param_groups, self.param_groups)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._all_state_dicts = None
        self._sharded = []
        self._place_parameters()

    # --- who has what

    def _place_parameters(self):
        parts = [_partition.parameters_of(part) for part in self._parts]
        self._owners = {id(p): rank for rank, part in enumerate(parts) for p in part}
        if self.parameters_as_bucket_view:
            with no_grad():
                parts = [_partition.share_memory(part) for part in parts]
        self._sent = parts

    def add_param_group(self, param_group):
        """Adds a dictionary with "params" and options; a call of every rank."""
        super().add_param_group(param_group)
        if self.optim is None:
            return
        self._parts = _partition.partition(self.param_groups, self.world_size)
        self.optim.add_param_group(self._parts[self.rank][-1])
        _take_options(self.optim.param_groups, self.param_groups)
        self._place_parameters()
        self._keep_gradients()

    def shard_gradients(self, model):
        """Has a `DistributedDataParallel` leave gradients on the ranks that update with them (stage 2).

        It registers a hook: call it before the first forward pass. `grad` of other parameters
        is None after a backward pass. `clip_grad_norm_` and `GradScaler` are calls of every rank then, and
        see the gradients of all; `get_total_norm`, which is given tensors, sees those of this rank.
        ValueError where the model's group is another one. With the model's `lazy_bucket_allocation=True`
        buckets go, too.
        """
        from opweave.nn.parallel import DistributedDataParallel as Parallel

        expect(model, Parallel, "shard_gradients()", "model", "a DistributedDataParallel")
        if model.process_group is not self.process_group:
            raise ValueError(
                "shard_gradients(): model: expected one of the optimiser's process_group, got one of another"
            )
        model.register_comm_hook(None, ShardGradients(self._owner_of))
        self._sharded.append(model)
        self._keep_gradients()

    def _keep_gradients(self):
        for model in self._sharded:
            model._keep_gradients(self._keeps)
            spread_gradients([p for p in model.parameters() if id(p) in self._owners], self)

    def _update_process_group(self, new_process_group):
        """Has steps sent by another group, as after one that has failed; a call of its ranks.

        Models of `shard_gradients` take it as well, each by a call of its own. ValueError where ranks of it
        do not stand for the same parts.
        """
        size, rank = new_process_group.size(), new_process_group.rank()
        if (size, rank) != (self.world_size, self.rank):
            raise ValueError(
                f"_update_process_group(): new_process_group: expected {self.world_size} ranks, of which "
                f"this is {self.rank}, got {size}, of which it is {rank}: who has which state would change. "
                "Make another optimiser, and load a checkpoint"
            )
        self.process_group = new_process_group

    def _owner_of(self, parameter):
        """Who updates it; None where that is not this optimiser."""
        return self._owners.get(id(parameter))

    def _keeps(self, parameter):
        return self._owner_of(parameter) in (None, self.rank)

    # --- a step

    def step(self, closure=None):
        """One update of this rank's part; then all ranks send theirs. A call of every rank."""
        Join.notify_join_context(self)
        _take_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(closure)
        _take_options(self.optim.param_groups, self.param_groups)
        self._send_parameters()
        return loss

    def _send_parameters(self):
        """Every rank's to all others. Collectives take contiguous tensors, and others by a copy."""
        begun = []
        for rank, tensors in enumerate(self._sent):
            for tensor in tensors:
                sent = tensor.detach().contiguous()
                work = dist.broadcast(sent, group=self.process_group, group_src=rank, async_op=True)
                begun.append((tensor, sent, work))
        with no_grad():
            for tensor, sent, work in begun:
                work.wait()
                if not tensor.is_contiguous():
                    tensor.copy_(sent)

    # --- saving

    def consolidate_state_dict(self, to=0):
        """Sends all ranks' states to the rank `to`, whose `state_dict()` has it; a call of every rank."""
        _take_options(self.param_groups, self.optim.param_groups)
        everyones = [None] * self.world_size if self.rank == to else None
        dist.gather_object(
            self.optim.state_dict(), everyones, group=self.process_group, group_dst=to
        )
        self._all_state_dicts = everyones

    def state_dict(self):
        """What the optimiser of all parameters would have, as it was when it was consolidated to this rank.

        RuntimeError where it was not.
        """
        if self._all_state_dicts is None:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                "global state."
            )
        whole = super().state_dict()
        numbers = {
            id(p): number for number, p in enumerate(_partition.parameters_of(self.param_groups))
        }
        state = {}
        for part, saved in zip(self._parts, self._all_state_dicts, strict=True):
            theirs = [number for group in saved["param_groups"] for number in group["params"]]
            for parameter, number in zip(_partition.parameters_of(part), theirs, strict=False):
                if number in saved["state"]:
                    state[numbers[id(parameter)]] = saved["state"][number]
        return {"state": dict(sorted(state.items())), "param_groups": whole["param_groups"]}

    def load_state_dict(self, state_dict):
        """Takes this rank's part of the state of all, which may be that of a plain optimiser."""
        numbers = {
            id(p): number for number, p in enumerate(_partition.parameters_of(self.param_groups))
        }
        part = self._part_of(state_dict["state"], numbers)
        super().load_state_dict({"state": {}, "param_groups": state_dict["param_groups"]})
        self.optim.load_state_dict(part)
        _take_options(self.param_groups, self.optim.param_groups)

    def _part_of(self, state, numbers):
        """This rank's optimiser's state dict, from the state of all and each parameter's number there."""
        part = self.optim.state_dict()
        mine = _partition.parameters_of(self._parts[self.rank])
        theirs = [number for group in part["param_groups"] for number in group["params"]]
        found = {
            number: state[numbers[id(p)]]
            for number, p in zip(theirs, mine, strict=True)
            if numbers[id(p)] in state
        }
        return {"state": found, "param_groups": part["param_groups"]}

    # --- ranks without data

    def join_hook(self, **kwargs):
        return _Hook(self)

    @property
    def join_device(self):
        return _partition.parameters_of(self.param_groups)[0].device

    @property
    def join_process_group(self):
        return self.process_group
