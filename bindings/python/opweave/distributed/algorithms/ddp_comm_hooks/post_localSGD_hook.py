"""Averages over all ranks at first, and over those of a host afterwards; parameters are averaged beside
that."""

from __future__ import annotations

import opweave.distributed as dist
from opweave.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from opweave.futures import Future

__all__ = ["PostLocalSGDState", "post_localSGD_hook"]


class PostLocalSGDState:
    """What `post_localSGD_hook` is registered with.

    Args:
        process_group: of the first steps; the model's, for None.
        subgroup: of the others; the ranks of the host, for None.
        start_localSGD_iter: how many steps come first. Averagers of parameters begin there.
        post_local_gradient_allreduce: whether gradients are averaged at all afterwards.
    """

    def __init__(
        self,
        process_group: dist.ProcessGroup | None,
        subgroup: dist.ProcessGroup | None,
        start_localSGD_iter: int,  # noqa: N803 - PyTorch's name
        post_local_gradient_allreduce: bool = True,
    ) -> None:
        self.process_group = process_group
        self.subgroup = subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: dist.GradBucket) -> None:
        """Counts a step when the last bucket comes."""
        self.iter += bucket.is_last()


def post_localSGD_hook(  # noqa: N802 - PyTorch's name
    state: PostLocalSGDState, bucket: dist.GradBucket
) -> Future:
    """A future of the bucket's average over the group that the step has."""
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return allreduce_hook(state.process_group, bucket)
    if not state.post_local_gradient_allreduce:
        done = Future()
        done.set_result(bucket.buffer())
        return done
    if state.subgroup is None:
        state.subgroup, _ = dist.new_subgroups()
    return allreduce_hook(state.subgroup, bucket)
