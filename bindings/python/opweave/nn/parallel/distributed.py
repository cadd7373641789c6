"""DistributedDataParallel: the same model in several processes, each of which works on its own data."""

import contextlib
import dataclasses

import opweave as ow
import opweave.distributed as dist
from opweave._distributed import _Reducer
from opweave.nn.modules.module import Module
from opweave.nn.parallel._states import broadcast_all, check_same

_FIRST_BUCKET_MB = 1


def _tensors_in(value):
    """The tensors in what a forward pass returned."""
    if isinstance(value, ow.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _tensors_in(getattr(value, field.name))


class DistributedDataParallel(Module):
    """A model whose gradients are the averages of those of all processes of a group.

    Every process makes the same model and gives it its own part of the data. Rank 0's parameters and buffers
    are everybody's at the start; after each backward pass all ranks have equal gradients, to the bit. These
    are reduced in buckets, while the backward pass goes on.

    Args:
        module: the model. Parameters that require no gradient now take no part.
        broadcast_buffers: whether buffers are rank 0's before each forward pass.
        init_sync: whether ranks compare their parameters and take rank 0's at the start.
        process_group: the default group, for None.
        bucket_cap_mb: the size of buckets in MiB, 25 for None; the first has 1 MiB then. A parameter that
            would overflow a bucket begins the next.
        find_unused_parameters: whether outputs may not depend on all parameters. It costs a walk through the
            graph, and a collective.
        gradient_as_bucket_view: whether `grad` of parameters is memory of the buckets, which saves a copy.

    RuntimeError where no parameter requires a gradient, and where the ranks' parameters differ, with the name
    of the first that does.
    """

    def __init__(
        self,
        module,
        device_ids=None,
        output_device=None,
        dim=0,
        broadcast_buffers=True,
        init_sync=True,
        process_group=None,
        bucket_cap_mb=None,
        find_unused_parameters=False,
        check_reduction=False,
        gradient_as_bucket_view=False,
    ):
        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(f"expected a Module for 'module', got {type(module).__name__}")
        if bucket_cap_mb is not None and not bucket_cap_mb > 0:
            raise ValueError(f"bucket_cap_mb: expected a size above 0, got {bucket_cap_mb}")
        self.module = module
        self.process_group = dist.group.WORLD if process_group is None else process_group
        if self.process_group is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        self.dim, self.device_ids, self.output_device = dim, device_ids, output_device
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True
        named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
        if not named:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that "
                "requires a gradient."
            )
        if init_sync:
            check_same(named, self.process_group)
            broadcast_all(
                [p.detach() for p in module.parameters()] + list(module.buffers()),
                self.process_group,
            )
        other = 25 if bucket_cap_mb is None else bucket_cap_mb
        first = _FIRST_BUCKET_MB if bucket_cap_mb is None else bucket_cap_mb
        self.__dict__["_reducer"] = _Reducer(
            [p for _, p in named],
            [name for name, _ in named],
            self.process_group,
            int(first * 2**20),
            int(other * 2**20),
            gradient_as_bucket_view,
            find_unused_parameters,
            False,
        )

    @contextlib.contextmanager
    def no_sync(self):
        """In its block each rank sums its gradients up alone; the next backward pass reduces the sums."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **kwargs):
        """The module's own, between what the reducer has to know."""
        if not ow.is_grad_enabled():
            return self.module(*inputs, **kwargs)
        if not self.require_backward_grad_sync:
            self._reducer.expect_nothing()
            return self.module(*inputs, **kwargs)
        if self.broadcast_buffers:
            broadcast_all(list(self.module.buffers()), self.process_group)
        output = self.module(*inputs, **kwargs)
        self._reducer.prepare_for_backward([t for t in _tensors_in(output) if t.requires_grad])
        return output

    def register_comm_hook(self, state, hook):
        """Has `hook(state, bucket)` reduce each bucket, in place of their average.

        `bucket` is a `distributed.GradBucket`. The hook returns a Future of the tensor that the bucket has to
        hold; `opweave.distributed.algorithms.ddp_comm_hooks` has some. Call it before the first forward pass,
        once. TypeError where it cannot be called, RuntimeError for a second one.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        self._reducer.set_hook(state, hook)

    def statistics(self):
        """What the last backward pass did.

        Returns:
            A dict. "buckets": for each, in the order in which they were reduced, "parameters" (names),
            "bytes", and "ready" and "reduced": seconds from the end of the forward pass to its last gradient,
            and to the end of its collective. "backward" and "total": until the last gradient was there, and
            until all were reduced. "hidden": how much of the time of the collectives lay within the backward
            pass, 0 to 1.
        """
        return self._reducer.statistics()
