"""Gradients of embeddings, divided by how often their words occur."""

from opweave.autograd.function import Function
from opweave.functional import unique


class _Divided(Function):
    """The rows as they are, and their gradients divided."""

    @staticmethod
    def forward(ctx, rows, counts):
        ctx.save_for_backward(counts)
        return rows.view_as(rows)

    @staticmethod
    def backward(ctx, grad):
        (counts,) = ctx.saved_tensors
        return grad / counts, None


def scaled_by_frequency(rows, words):
    """The rows of words, whose gradients are divided by how often each word occurs among all."""
    _, places, counts = unique(words, return_inverse=True, return_counts=True)
    return _Divided.apply(rows, counts[places].unsqueeze(-1).to(rows.dtype))
