"""Rows of a matrix by their numbers, as the vectors of words."""

from opweave import _C
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_int as _expect_int
from opweave._arguments import takes as _takes
from opweave._grad_mode import no_grad
from opweave._overridable import make_overridable as _make_overridable
from opweave.functional import where


def embedding(
    input,
    weight,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    scale_grad_by_freq=False,
    sparse=False,
):
    if sparse:
        raise NotImplementedError("embedding: sparse gradients are not supported")
    if scale_grad_by_freq is not False:
        _expect_bool("embedding", "scale_grad_by_freq", scale_grad_by_freq)
    if padding_idx is not None:
        _expect_int("embedding", "padding_idx", padding_idx)
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    if max_norm is not None:
        embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    found = _C.embedding(weight, input, padding_idx)
    if scale_grad_by_freq and found.requires_grad:
        from opweave.nn._frequencies import scaled_by_frequency

        return scaled_by_frequency(found, input)
    return found


@_takes(weight="Tensor", indices="Tensor", max_norm="float", norm_type="float")
def embedding_renorm_(weight, indices, max_norm, norm_type):
    """Shortens the rows that indices name to a norm of at most max_norm, in place.

    Raises:
        RuntimeError: indices that are no integers.
        IndexError: one out of range.
    """
    if indices.dtype not in (_C.int64, _C.int32):
        raise RuntimeError(
            "embedding_renorm_(): expected argument 'indices' to have one of the dtypes opweave.int64, "
            f"opweave.int32; got {indices.dtype}"
        )
    with no_grad():
        rows = indices.reshape(-1).unique()
        found = weight[rows]
        lengths = found.norm(norm_type, 1, keepdim=True)
        scale = where(lengths > max_norm, max_norm / (lengths + 1e-7), lengths.new_ones(()))
        weight.index_copy_(0, rows.long(), found * scale)
    return weight


_make_overridable(globals())
