"""Gradients as products of two narrow matrices, by a step of the power method that goes on from the last one.

The method is that of T. Vogels, S. P. Karimireddy and M. Jaggi, PowerSGD: Practical Low-Rank Gradient
Compression for Distributed Optimization (NeurIPS 2019), algorithms 1 and 2.
"""

import opweave.distributed as dist
from opweave import _C
from opweave.distributed.algorithms.ddp_comm_hooks._deferred import Deferred
from opweave.distributed.algorithms.ddp_comm_hooks._states import HookState, group_of
from opweave.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from opweave.distributed.algorithms.ddp_comm_hooks.error_feedback import ByParameter, ErrorFeedback
from opweave.functional import where


class PowerSGDState(HookState):
    """What `powerSGD_hook` is registered with.

    Args:
        process_group: the model's, for None.
        matrix_approximation_rank: the columns of the two matrices.
        start_powerSGD_iter: so many backward passes are averaged as they are, before.
        min_compression_rate: what would not become smaller by more than this is averaged as it is.
        use_error_feedback: whether what is left behind is added to the next gradients.
        warm_start: whether each step begins with the last one's matrix.
        orthogonalization_epsilon: added to the length of columns before they are divided by it.
        random_seed: of the matrices that the first step begins with, the same on all ranks.
    """

    def __init__(
        self,
        process_group=None,
        matrix_approximation_rank=1,
        start_powerSGD_iter=1000,  # noqa: N803 - PyTorch's name
        min_compression_rate=2,
        use_error_feedback=True,
        warm_start=True,
        orthogonalization_epsilon=0,
        random_seed=0,
    ):
        if matrix_approximation_rank < 1:
            raise ValueError(
                "PowerSGDState: expected a matrix_approximation_rank above 0, "
                f"got {matrix_approximation_rank}"
            )
        self.process_group = process_group
        self.rank = matrix_approximation_rank
        self.start = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.warm_start = warm_start
        self.epsilon = orthogonalization_epsilon
        self.feedback = ErrorFeedback() if use_error_feedback else None
        self.passes = 0
        self._generator = _C.Generator().manual_seed(random_seed)
        self._starts = ByParameter()  # the second matrix of each
        self._before = self._after = 0  # elements

    def compression_stats(self):
        """How much smaller what is sent is, and the numbers of elements before and after."""
        return self._before / self._after if self._after else 0, self._before, self._after

    def is_compressed(self, parameter):
        """Whether it is sent as two matrices."""
        if parameter.dim() < 2:
            return False
        rows, columns = parameter.shape[0], parameter[0].numel()
        return rows * columns > self.min_compression_rate * (rows + columns) * self._rank_of(
            parameter
        )

    def _rank_of(self, parameter):
        return min(self.rank, parameter.shape[0], parameter[0].numel())

    def start_of(self, parameter):
        """The matrix that a step begins with: the last one's, or random numbers that all ranks have alike."""
        if self.warm_start and parameter in self._starts:
            return self._starts[parameter]
        sizes = parameter[0].numel(), self._rank_of(parameter)
        start = _C.randn(*sizes, generator=self._generator, dtype=parameter.dtype)
        return _orthogonal(start.to(parameter.device), self.epsilon)

    def keep_start(self, parameter, start):
        """Keeps what the next step begins with."""
        self._starts[parameter] = start

    def __getstate__(self):
        return super().__getstate__() | {"_generator": self._generator.get_state()}

    def __setstate__(self, state):
        self.__dict__.update(state, _generator=_C.Generator().set_state(state["_generator"]))

    def state_dict(self, module):
        return super().state_dict(module) | self._common(module)

    def load_state_dict(self, module, state_dict):
        super().load_state_dict(module, state_dict)
        self._set_common(module, state_dict)

    def _common(self, module):
        """What all ranks have alike."""
        return {
            "passes": self.passes,
            "starts": self._starts.by_name(module),
            "generator": self._generator.get_state(),
            "elements": [self._before, self._after],
        }

    def _set_common(self, module, state):
        parameters, self._starts = dict(module.named_parameters()), ByParameter()
        for name, start in state["starts"].items():
            if name not in parameters:
                raise KeyError(f"load_state_dict: the module has no parameter '{name}'")
            self._starts[parameters[name]] = start.clone().to(parameters[name].device)
        self.passes = state["passes"]
        self._generator.set_state(state["generator"])
        self._before, self._after = state["elements"]

    def agree(self, module, group):
        """After a pass that has failed at another place on each rank: all have rank 0's matrices."""
        state = [self._common(module)]
        dist.broadcast_object_list(state, group=group, group_src=0)
        self._set_common(module, state[0])

    def count(self, before, after):
        """Notes how many elements became how many."""
        self._before += before
        self._after += after


def _orthogonal(matrix, epsilon):
    """Its columns made orthonormal, one after another; those that depend on others become zeros."""
    columns = []
    wide = matrix.float() if matrix.itemsize < 4 else matrix  # squares of 16 bits overflow
    for column in wide.unbind(1):
        for other in columns:
            column = column - (other * column).sum() * other
        length = column.norm() + epsilon
        columns.append(where(length > 0, column / length, _C.zeros_like(column)))
    return _C.stack(columns, 1).to(matrix.dtype)


class _Step:
    """One step for a bucket. Who waits asks for the second sum: in the order of buckets, on all ranks."""

    def __init__(self, state, bucket):
        self.state, self.bucket = state, bucket
        self.group = group_of(state.process_group, bucket)
        pairs = list(zip(bucket.parameters(), bucket.gradients(), strict=True))
        self.compressed = [
            (p, g, g.view(g.shape[0], -1)) for p, g in pairs if state.is_compressed(p)
        ]
        self.rest = [g for p, g in pairs if not state.is_compressed(p)]
        self.left = [
            matrix @ state.start_of(p).to(matrix.dtype) for p, _, matrix in self.compressed
        ]
        self.sent = _C.cat([t.flatten() for t in (*self.left, *self.rest)])
        self.work = dist.all_reduce(self.sent, group=self.group, async_op=True)

    def result(self):
        """The bucket's buffer, with the average as far as the matrices give it."""
        self.work.wait()
        self.sent.div_(self.group.size())
        sums = list(self.sent.split([t.numel() for t in (*self.left, *self.rest)]))
        lefts = [
            _orthogonal(came.view(left.shape), self.state.epsilon)
            for came, left in zip(sums, self.left, strict=False)
        ]
        rights = self._rights(lefts)
        means = {
            id(g): (left @ right.t()).view(g.shape)
            for (_, g, _), left, right in zip(self.compressed, lefts, rights, strict=True)
        }
        means |= {
            id(g): mean.view(g.shape) for g, mean in zip(self.rest, sums[len(lefts) :], strict=True)
        }
        order = [g for _, g, _ in self.compressed] + self.rest
        self.state.count(
            sum(g.numel() for g in order), self.sent.numel() + sum(r.numel() for r in rights)
        )
        return self._written(means, order)

    def _rights(self, lefts):
        """The second matrices, averaged; the next step begins with them."""
        if not lefts:
            return []
        mine = [
            matrix.t() @ left for (_, _, matrix), left in zip(self.compressed, lefts, strict=True)
        ]
        sent = _C.cat([right.flatten() for right in mine])
        dist.all_reduce(sent, group=self.group)
        sent.div_(self.group.size())
        rights = [
            came.view(right.shape)
            for came, right in zip(sent.split([r.numel() for r in mine]), mine, strict=True)
        ]
        for (parameter, _, _), right in zip(self.compressed, rights, strict=True):
            self.state.keep_start(parameter, _orthogonal(right, self.state.epsilon))
        return rights

    def _written(self, means, order):
        by_place = sorted(order, key=lambda gradient: gradient.storage_offset())
        mean = _C.cat([means[id(gradient)].flatten() for gradient in by_place])
        if self.state.feedback is not None:
            self.state.feedback.keep(self.bucket, mean)
        return self.bucket.buffer().copy_(mean)


def powerSGD_hook(state, bucket):  # noqa: N802 - PyTorch's name
    """The average over all ranks as far as matrices of a low rank give it.

    Parameters of less than two dimensions, and those that would not become much smaller, are averaged.
    """
    begins = state.passes < state.start
    if bucket.is_last():
        state.passes += 1
    if begins:
        return allreduce_hook(state.process_group, bucket)
    if state.feedback is not None:
        state.feedback.add_to(bucket)
    return Deferred(_Step(state, bucket).result)
