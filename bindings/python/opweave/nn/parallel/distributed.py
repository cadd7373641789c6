"""DistributedDataParallel: the same model in several processes, each of which works on its own data."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from opweave import _C
from opweave._distributed import ProcessGroup, _Reducer
from opweave.distributed import _groups
from opweave.distributed._arguments import expect
from opweave.distributed._builtin_hooks import BuiltinCommHookType
from opweave.nn.modules.module import Module
from opweave.nn.parallel import _arguments, _states
from opweave.nn.parallel._delayed import DelayedReduction
from opweave.nn.parallel._inputs import moved, tensors_in
from opweave.nn.parallel._joining import UnevenBatches, highest_rank
from opweave.nn.parallel._logging import logging_data


class DistributedDataParallel(Module, UnevenBatches):
    """A model whose gradients are the averages of those of all processes of a group.

    Every process makes the same model and gives it its own part of the data. Rank 0's parameters and buffers
    are everybody's at the start; after each backward pass all ranks have equal gradients, to the bit. These
    are reduced in buckets, while the backward pass goes on.

    Args:
        module: the model. Parameters that require no gradient now take no part.
        device_ids: a list of the one device, of those of the type of the module's, to which inputs are moved.
            For modules on the host, and for those on several devices: None.
        output_device: taken and kept, as by PyTorch.
        broadcast_buffers: deprecated for `forward_sync_buffers`; False also leaves buffers at the start.
        init_sync: whether ranks compare their parameters and take rank 0's at the start.
        process_group: the default group, for None.
        bucket_cap_mb: the size of buckets in MiB. For None it is `distributed.bucket_cap_mb` of the group's
            links, if `measure_links` has measured them, and 25 otherwise; the first has 1 MiB then. A
            parameter that would overflow a bucket begins the next.
        find_unused_parameters: whether a backward pass may not come to all parameters. It costs a collective.
        check_reduction: deprecated, and without effect.
        gradient_as_bucket_view: whether `grad` of parameters is memory of the buckets, which saves a copy.
        static_graph: whether all passes use the parameters that the first one does, and each as often; that
            one reduces gradients at its end. Backward passes may be nested then.
        delay_all_reduce_named_params: pairs of a name and a parameter that are reduced together, when
            the gradient of `param_to_hook_all_reduce` is there, and by nothing else that is said here.
        param_to_hook_all_reduce: that parameter.
        mixed_precision: not built; NotImplementedError says what there is instead.
        device_mesh: a mesh of one dimension, for its group.
        skip_all_reduce_unused_params: whether buckets of unused parameters alone are not reduced. They must
            be the same on all ranks.
        bucket_cap_mb_list: the sizes of the buckets one by one; the last is that of all further ones.
        batched_grad_copy: taken; gradients are copied one by one, which costs nothing more on the host.
        forward_sync_buffers: whether buffers are rank 0's before a forward pass, if the one before it had
            gradients to reduce: not before the second of passes under `no_grad()` or `no_sync()`; True for
            None.
        lazy_bucket_allocation: whether buckets have memory during backward passes alone.

    RuntimeError where no parameter requires a gradient, and where the ranks' parameters differ, with the name
    of the first that does; TypeError and ValueError for arguments that cannot be.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[_C.device | str | int] | None = None,
        output_device: _C.device | str | int | None = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Iterable[tuple[str, _C.Tensor]] | None = None,
        param_to_hook_all_reduce: _C.Tensor | None = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: Sequence[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
        lazy_bucket_allocation: bool = False,
    ) -> None:
        _arguments.check_types(locals())
        super().__init__()
        UnevenBatches.__init__(self)
        _arguments.refuse_unbuilt(mixed_precision, check_reduction)
        self.process_group = _arguments.group_of(process_group, device_mesh)
        self.bucket_bytes_cap_list, self._bucket_cap_from = _arguments.limits_of(
            bucket_cap_mb, bucket_cap_mb_list, self.process_group
        )
        self.bucket_bytes_cap = max(self.bucket_bytes_cap_list)
        self.device_mesh = device_mesh
        self.module = module
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        delayed = self._choose_delayed(delay_all_reduce_named_params, param_to_hook_all_reduce)
        everything = self._parameters_to_sync() + delayed
        named = self._named_to_reduce()
        if not named and not delayed:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that "
                "requires a gradient."
            )
        self.device_ids, self.output_device = _arguments.device_of(
            device_ids, output_device, everything
        )
        self.dim = dim
        self.device = everything[0].device
        self.device_type = self.device.type
        self.is_multi_device_module = len({p.device for p in everything}) > 1
        self.forward_sync_buffers, syncs_first = _arguments.syncs_buffers(
            broadcast_buffers, forward_sync_buffers
        )
        self.find_unused_parameters = bool(find_unused_parameters)
        self.gradient_as_bucket_view = bool(gradient_as_bucket_view)
        self.static_graph = bool(static_graph)
        self.skip_all_reduce_unused_params = bool(skip_all_reduce_unused_params)
        self.batched_grad_copy = batched_grad_copy
        self.lazy_bucket_allocation = bool(lazy_bucket_allocation)
        self.require_backward_grad_sync = True
        self._before_passes = []  # of those who keep what passes did
        self._divisor = self.process_group.size()
        self._hook_state = None
        self.require_forward_param_sync = True
        if init_sync:
            _states.check_same(named, self.process_group)
            buffers = self._buffers_to_sync() if syncs_first else []
            _states.broadcast_all(self._parameters_to_sync() + buffers, self.process_group)
        self._make_reducer(named)
        self._make_delayed(delayed, param_to_hook_all_reduce)

    @property
    def broadcast_buffers(self) -> bool:
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    # --- what is reduced, and by whom

    def _choose_delayed(self, named, trigger):
        if (named is None) != (trigger is None):
            raise ValueError(
                "delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same time."
            )
        named = list(named or ())
        self.parameters_to_ignore.update(name for name, _ in named)
        return [parameter for _, parameter in named]

    def _named_to_reduce(self):
        return [
            (name, p)
            for name, p in self.module.named_parameters()
            if p.requires_grad and name not in self.parameters_to_ignore
        ]

    def _parameters_to_sync(self):
        named = self.module.named_parameters()
        return [p.detach() for name, p in named if name not in self.parameters_to_ignore]

    def _buffers_to_sync(self):
        named = self.module.named_buffers()
        return [buffer for name, buffer in named if name not in self.parameters_to_ignore]

    def _make_reducer(self, named):
        self.__dict__["_reducer"] = named and _Reducer(
            parameters=[p for _, p in named],
            names=[name for name, _ in named],
            group=self.process_group,
            limits=self.bucket_bytes_cap_list,
            gradients_are_views=self.gradient_as_bucket_view,
            finds_unused=self.find_unused_parameters,
            is_static=self.static_graph,
            skips_unused=self.skip_all_reduce_unused_params,
            is_lazy=self.lazy_bucket_allocation,
        )

    def _make_delayed(self, parameters, trigger):
        self.__dict__["_delayed"] = parameters and DelayedReduction(
            parameters, trigger, self.process_group, lambda: self.require_backward_grad_sync
        )

    def _set_static_graph(self):
        """The argument `static_graph`, later, but before hooks are registered and forward passes."""
        if self.static_graph:
            warnings.warn(
                "You've set static_graph to be True, no need to set it again.", stacklevel=2
            )
            return
        self.static_graph = True
        self._make_reducer(self._named_to_reduce())

    def _update_process_group(self, new_process_group):
        """Has gradients reduced by another group, as after one that has failed; a call of its ranks.

        Hooks that were registered with no group of their own follow; ranks may have left the failed pass at
        different places of them.
        """
        self.process_group = new_process_group
        self._divisor = new_process_group.size()
        if self._reducer:
            self._reducer.set_group(new_process_group)
        if self._delayed:
            self._delayed.set_group(new_process_group)
        if hasattr(self._hook_state, "agree"):
            self._hook_state.agree(self.module, new_process_group)

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module, params_and_buffers_to_ignore):
        """Names parameters and buffers of `module`, not wrapped yet, that stay what they are on each rank."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    # --- copies

    def __getstate__(self):
        if self.process_group is not _groups.group.WORLD or self._delayed:
            raise RuntimeError(
                "DDP Pickling/Unpickling are only supported when using DDP with the default process group, "
                "and without delay_all_reduce_named_params. That is, when you have called init_process_group "
                "and have not passed process_group argument to DDP constructor"
            )
        left_out = (
            "process_group",
            "_reducer",
            "_delayed",
            "device_mesh",
            "_before_passes",
            "_hook_state",
        )
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state):
        self.__dict__["process_group"] = _arguments.group_of(None, None)
        # Options that came later, of files from before them; and what an earlier one said of buffers.
        buffers = state.get("broadcast_buffers", True)
        later = {"require_backward_grad_sync": True, "forward_sync_buffers": buffers}
        super().__setstate__(later | state)
        self.__dict__.update(
            device_mesh=None,
            _divisor=self.process_group.size(),
            _before_passes=[],
            _hook_state=None,
        )
        self._make_reducer(self._named_to_reduce())
        self._make_delayed([], None)

    # --- a pass

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """In its block each rank sums its gradients up alone; the next backward pass reduces the sums."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's own, between what the reducer has to know."""
        if self.device_ids:
            device = _C.device(self.device_type, self.device_ids[0])
            inputs, kwargs = moved(inputs, device), moved(kwargs, device)
        reduces = _C.is_grad_enabled() and self.require_backward_grad_sync
        if _C.is_grad_enabled() and self._delayed:
            self._delayed.prepare()
        alone = self._join_config.enable and not _C.is_grad_enabled()  # no iteration for the others
        if alone or not self._reducer:
            return self.module(*inputs, **kwargs)
        counted = self._begin_pass()
        if self.will_sync_module_buffers():
            self._sync_buffers()
        self.require_forward_param_sync = reduces  # of the next pass, as with PyTorch
        output = self.module(*inputs, **kwargs)
        if reduces:
            self._set_divisor(counted)
            self._reducer.prepare_for_backward([t for t in tensors_in(output) if t.requires_grad])
        return output

    def _begin_pass(self):
        """What ranks with data tell the others; before any collective, whether the last pass has ended."""
        if not _C.is_grad_enabled():
            return None
        self._reducer.check_finished()
        for note in self._before_passes:
            note()
        counted = self._tell_ranks_without_data()
        if not self.require_backward_grad_sync:
            self._reducer.expect_nothing()
        return counted

    def will_sync_module_buffers(self) -> bool:
        """Whether the next forward pass makes buffers equal on all ranks.

        It does where the last one did reduce gradients, or would have: evaluation begins with rank 0's, and
        calls no collectives after that.
        """
        return (
            self.require_forward_param_sync
            and self.forward_sync_buffers
            and bool(self._buffers_to_sync())
        )

    def _sync_buffers(self):
        source = highest_rank(self, True) if self._join_config.enable else 0
        _states.broadcast_all(self._buffers_to_sync(), self.process_group, source)

    # --- hooks, and what is told

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Has `hook(state, bucket)` reduce each bucket, in place of their average.

        `bucket` is a `distributed.GradBucket`. The hook returns a Future of the tensor that the bucket has to
        hold; `opweave.distributed.algorithms.ddp_comm_hooks` has some. Call it before the first forward pass,
        once. A hook of C++ (`runtime/distributed/training/comm_hook.h`) is a capsule with the name
        "opweave::distributed::CommHook" of a pointer to a `std::shared_ptr<CommHook>`, and `state` None then.
        TypeError where it cannot be called, RuntimeError for a second one.
        """
        if not callable(hook) and type(hook).__name__ != "PyCapsule":
            raise TypeError("Communication hook must be callable.")
        if not self._reducer:
            raise RuntimeError(
                "register_comm_hook: delay_all_reduce_named_params has all parameters: there are no buckets"
            )
        self._reducer.set_hook(state, hook)
        self._hook_state = state

    def _register_builtin_comm_hook(self, comm_hook_type):
        """One of `distributed.BuiltinCommHookType`, by PyTorch's name."""
        expect(
            comm_hook_type,
            BuiltinCommHookType,
            "_register_builtin_comm_hook()",
            "comm_hook_type",
            "a BuiltinCommHookType",
        )
        self.register_comm_hook(None, comm_hook_type.hook())

    def _keep_gradients(self, keeps):
        """For optimisers: which parameters' gradients are kept here; a hook says where the others are."""
        self._reducer.keep_only([keeps(p) for _, p in self._named_to_reduce()])

    def bucket_order(self) -> list[str]:
        """The names of the parameters in the order in which buckets are filled: that of the first pass.

        A program that goes on from a checkpoint gives it to `set_bucket_order`, so that gradients are summed
        up and compressed together which were before; otherwise its first pass has other buckets.
        """
        names = [name for name, _ in self._named_to_reduce()]
        return [names[number] for number in self._reducer.order()] if self._reducer else []

    def set_bucket_order(self, names: Sequence[str]) -> None:
        """Takes over what `bucket_order()` gave; before the first forward pass, the same on all ranks.

        ValueError where the names are not those of the parameters that are reduced.
        """
        numbers = {name: number for number, (name, _) in enumerate(self._named_to_reduce())}
        for name in names:
            if name not in numbers:
                raise ValueError(
                    f"set_bucket_order: names: expected those of parameters that are reduced, got {name!r}"
                )
        if self._reducer:
            self._reducer.set_order([numbers[name] for name in names])

    def statistics(self) -> dict[str, Any]:
        """What the last backward pass did; `distributed.trace.TrainingTimeline` draws many, of all ranks.

        Returns:
            A dict. "buckets": for each, in the order in which they were reduced, "parameters" (names),
            "bytes", and "ready" and "reduced": seconds from the end of the forward pass to its last gradient,
            and to the end of its collective. "began": when the forward pass ended, in seconds since 1970.
            "backward" and "total": until the last gradient was there, and until all were reduced. "hidden":
            how much of the time of the collectives lay within the backward pass, 0 to 1. "bucket_cap_mb" and
            "bucket_cap_from": the size of buckets, and what has decided it: "measured links", "default", or
            the name of the argument.
        """
        cap = self.bucket_bytes_cap_list[-1] / 2**20
        nothing = {"buckets": [], "began": 0.0, "backward": 0.0, "total": 0.0, "hidden": 0.0}
        return (self._reducer.statistics() if self._reducer else nothing) | {
            "bucket_cap_mb": cap,
            "bucket_cap_from": self._bucket_cap_from,
        }

    def _get_ddp_logging_data(self):
        """What PyTorch tells under this name, as far as it is known here: numbers and texts by name."""
        return logging_data(self)
