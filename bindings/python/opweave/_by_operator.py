"""Functions of the top module that are operators in PyTorch: losses and bags whose options are numbers, and
functions of nn under the names and in the forms that they have there."""

import warnings

from opweave import _C, linalg
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._arguments import is_int as _is_int
from opweave._arguments import takes as _takes
from opweave._C import _nn_functional as _F
from opweave._dims import wrapped as _wrapped
from opweave._overridable import make_overridable as _make_overridable
from opweave.nn import functional as F
from opweave.nn._embedding import embedding_renorm_  # noqa: F401

_REDUCTIONS = ("none", "mean", "sum")
_MODES = ("sum", "mean", "max")


def _word(words, number, what):
    if not _is_int(number):
        raise TypeError(f"argument '{what}' must be int, not {type(number).__name__}")
    if number not in range(len(words)):
        raise RuntimeError(f"{what}: expected a number from 0 to {len(words) - 1}, got {number}")
    return words[number]


def _reduction(number):
    return _word(_REDUCTIONS, number, "reduction")


# Where nothing is said PyTorch's give one loss for each, though its documents name the mean.
# --- losses -------------------------------------------------------------------------------------------------
def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False
):
    """nn.functional.ctc_loss(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    return F.ctc_loss(
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank,
        _reduction(reduction),
        zero_infinity,
    )


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """nn.functional.cosine_embedding_loss(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=_reduction(reduction))


def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """nn.functional.hinge_embedding_loss(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    return F.hinge_embedding_loss(input, target, margin, reduction=_reduction(reduction))


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """nn.functional.margin_ranking_loss(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=_reduction(reduction))


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=0
):
    """nn.functional.triplet_margin_loss(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    word = _reduction(reduction)
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=word)


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """nn.functional.poisson_nll_loss(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    word = _reduction(reduction)
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=word)


def kl_div(input, target, reduction=0, *, log_target=False):
    """nn.functional.kl_div(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    word = _reduction(reduction)
    return _F.kl_div(input, target, reduction=word, log_target=log_target)


@_takes(input="Tensor", target="Tensor")
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """nn.functional.binary_cross_entropy_with_logits(); the reduction is 0 (none), 1 (mean) or 2 (sum)."""
    word = _reduction(reduction)
    return F.binary_cross_entropy_with_logits(
        input, target, weight, reduction=word, pos_weight=pos_weight
    )


# --- drawn --------------------------------------------------------------------------------------------------
def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """nn.functional.rrelu_()."""
    return F.rrelu(input, lower, upper, training, inplace=True)


# --- embeddings ---------------------------------------------------------------------------------------------
@_takes(
    weight="Tensor",
    indices="Tensor",
    offsets="Tensor",
    scale_grad_by_freq="bool",
    sparse="bool",
    include_last_offset="bool",
)
def embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=0,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """nn.functional.embedding_bag(); the mode is 0 (sum), 1 (mean) or 2 (max).

    Returns:
        tuple: the bags; and for means and maxima the bag of each word, how many words each bag has, and the
        words that gave the maxima (for means the numbers of words again).
    """
    word = _word(_MODES, mode, "mode")
    found = F.embedding_bag(
        indices,
        weight,
        offsets,
        None,
        2.0,
        scale_grad_by_freq,
        word,
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )
    if word == "sum":
        zeros = indices.new_zeros(found.size(0))
        return found, indices.new_zeros(0), zeros, zeros.clone()
    last = offsets.new_full((0 if include_last_offset else 1,), indices.numel())
    sizes = _C.cat([offsets, last]).diff()
    bags = _C.arange(sizes.numel(), device=indices.device).repeat_interleave(sizes)
    largest = _largest(weight.detach(), indices, sizes) if word == "max" else sizes.clone()
    return found, bags, sizes, largest


def _largest(weight, indices, sizes):
    """(bags, width): the words whose elements are the largest of their bags; 0 in bags without words."""
    none = indices.new_zeros(weight.size(1))
    parts = indices.split(sizes.tolist())
    return _C.stack([p[weight[p].argmax(0)] if p.numel() else none for p in parts])


# --- norms --------------------------------------------------------------------------------------------------
@_takes(v="Tensor", pow="int", dim="int")
def norm_except_dim(v, pow=2, dim=0):
    """The norms of what lies at each place of a dimension, which alone keeps its size; of all for -1."""
    if dim == -1:
        return v.norm(pow)
    others = [d for d in range(v.dim()) if d != _wrapped(dim, v.dim())]
    return v.norm(pow, others, keepdim=True)


def _deprecated(name, new):
    warnings.warn(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a "
        f"future PyTorch release. Please use `linalg.{new}` instead",
        stacklevel=3,
    )


def _expect_norm_of(name, input, dim, keepdim):
    _expect_tensor(name, "input", input)
    _expect_ints(name, "dim", dim)
    _expect_bool(name, "keepdim", keepdim)


def frobenius_norm(input, dim, keepdim=False):
    """The root of the sum of squares along one or two dimensions.

    Raises:
        RuntimeError: more dimensions.
    """
    _expect_norm_of("frobenius_norm", input, dim, keepdim)
    _deprecated("frobenius_norm", "vector_norm(A, 2., dim, keepdim)")
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if len(dims) > 2:
        raise RuntimeError(
            f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead."
        )
    return input.norm(2, dims or None, keepdim)


def nuclear_norm(input, dim=(-2, -1), keepdim=False):
    """The sum of singular values of matrices in two dimensions.

    Raises:
        RuntimeError: fewer dimensions.
    """
    _deprecated("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)")
    if isinstance(dim, bool):
        dim, keepdim = (-2, -1), dim
    _expect_norm_of("nuclear_norm", input, dim, keepdim)
    dim = dim if isinstance(dim, (tuple, list)) else (dim,)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple, but got {tuple(dim)}")
    if input.dim() < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    found = linalg.svdvals(input.movedim(tuple(dim), (-2, -1))).sum(-1)
    for d in sorted(_wrapped(d, input.dim()) for d in dim) if keepdim else ():
        found = found.unsqueeze(d)
    return found


_make_overridable(globals())
