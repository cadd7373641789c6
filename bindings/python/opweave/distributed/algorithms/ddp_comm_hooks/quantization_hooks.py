"""Gradients of 8 bits on their way: whole numbers from 0 to 255 between the least and the largest value."""

from opweave import _C
from opweave.distributed.algorithms.ddp_comm_hooks._gathering import sum_of_all
from opweave.distributed.algorithms.ddp_comm_hooks._states import HookState, group_of
from opweave.distributed.algorithms.ddp_comm_hooks.error_feedback import ErrorFeedback
from opweave.functional import where
from opweave.nn.functional import pad


class QuantizationState(HookState):
    """What the hooks are registered with where errors shall be added to the next gradients.

    Args:
        process_group: the model's, for None.
        channel_size: how many elements `quantization_perchannel_hook` gives a range of their own.
    """

    def __init__(self, process_group=None, channel_size=512):
        if channel_size < 1:
            raise ValueError(
                f"QuantizationState: expected a channel_size above 0, got {channel_size}"
            )
        self.process_group = process_group
        self.channel_size = channel_size
        self.feedback = ErrorFeedback()


def _quantized(rows):
    """Of each row the numbers, its least value and the width of a step. What is not finite stays so."""
    least, largest = rows.amin(1, keepdim=True), rows.amax(1, keepdim=True)
    step = (largest - least) / 255
    numbers = ((rows - least) / where(step > 0, step, 1.0)).round().clamp(0, 255)
    return numbers.to(_C.uint8), least, step


def _hook(state, bucket, row):
    feedback = getattr(state, "feedback", None)
    group = state.process_group if isinstance(state, QuantizationState) else state
    if feedback is not None:
        feedback.add_to(bucket)
    buffer = bucket.buffer()
    row = min(row, max(buffer.numel(), 1))
    rows = -(-buffer.numel() // row)
    padded = pad(buffer, (0, rows * row - buffer.numel())).view(rows, row)
    numbers, least, step = _quantized(padded)

    def unpack(numbers, scales):
        least, step = scales.view(2, rows, 1)
        return (numbers.view(rows, row) * step + least).flatten()[: buffer.numel()]

    sent = [numbers.flatten(), _C.cat([least, step]).flatten()]
    if feedback is not None:
        feedback.keep(bucket, unpack(*sent))
    return sum_of_all(group_of(group, bucket), sent, buffer, unpack)


def quantization_pertensor_hook(process_group, bucket):
    """The average of what each rank sends in 8 bits, between the least and the largest value of its bucket.

    `process_group` may be a `QuantizationState`, which adds errors to the next gradients.
    """
    return _hook(process_group, bucket, max(bucket.buffer().numel(), 1))


def quantization_perchannel_hook(process_group, bucket, bucket_size=512):
    """The same, between the least and the largest of every `bucket_size` elements."""
    if isinstance(process_group, QuantizationState):
        bucket_size = process_group.channel_size
    return _hook(process_group, bucket, bucket_size)
