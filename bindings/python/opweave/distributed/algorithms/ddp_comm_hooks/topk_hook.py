"""The largest gradients alone, with what is left behind added to the next ones.

The method is that of A. Aji and K. Heafield, Sparse Communication for Distributed Gradient Descent (EMNLP
2017).
"""

from opweave import _C
from opweave.distributed.algorithms.ddp_comm_hooks._gathering import sum_of_all
from opweave.distributed.algorithms.ddp_comm_hooks._states import HookState, group_of
from opweave.distributed.algorithms.ddp_comm_hooks.error_feedback import ErrorFeedback


class TopKState(HookState):
    """What `topk_hook` is registered with.

    Args:
        process_group: the model's, for None.
        ratio: how many of a bucket's elements are sent, above 0 and up to 1; one at least.
        use_error_feedback: whether what is not sent is added to the next gradients.
    """

    def __init__(self, process_group=None, ratio=0.1, use_error_feedback=True):
        if not 0 < ratio <= 1:
            raise ValueError(f"TopKState: expected a ratio above 0 and up to 1, got {ratio}")
        self.process_group = process_group
        self.ratio = ratio
        self.feedback = ErrorFeedback() if use_error_feedback else None


def topk_hook(state, bucket):
    """The average over all ranks of the elements with the largest magnitudes on each: values and indices."""
    if state.feedback is not None:
        state.feedback.add_to(bucket)
    buffer = bucket.buffer()
    count = max(1, int(buffer.numel() * state.ratio))
    indices = _C.topk(buffer.abs(), count)[1]
    values = buffer[indices]

    def unpack(values, indices):
        return _C.zeros_like(buffer).index_add_(0, indices, values)

    if state.feedback is not None:
        state.feedback.keep(bucket, unpack(values, indices))
    return sum_of_all(group_of(state.process_group, bucket), [values, indices], buffer, unpack)
