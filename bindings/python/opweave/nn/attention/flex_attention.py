"""Attention whose scores a function changes and masks, after torch.nn.attention.flex_attention.

The functions see one score and its four indices, and run on all of them by vmap; nothing is compiled, and the
scores of all queries and keys are made.
"""

import inspect
import math
from collections.abc import Callable
from typing import NamedTuple, TypedDict

from opweave import _C
from opweave._top import _get_accelerator
from opweave.func._vmap import vmap
from opweave.nn.attention import _block_mask, _flex_checks
from opweave.nn.attention._block_mask import BlockMask
from opweave.nn.functional import pad
from opweave.nn.modules.utils import _pair

__all__ = [
    *(
        "AuxOutput",
        "AuxRequest",
        "BlockMask",
        "FlexKernelOptions",
        "and_masks",
        "create_block_mask",
    ),
    *("create_mask", "flex_attention", "noop_mask", "or_masks"),
]

_score_mod_signature = Callable[..., _C.Tensor]
_mask_mod_signature = Callable[..., _C.Tensor]
_DEFAULT_SPARSE_BLOCK_SIZE = 128
noop_mask = _block_mask.noop_mask


class AuxRequest(NamedTuple):
    """What flex_attention() returns beside its result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What it returned: the logarithm of the sum of the exponentials of each query's scores; the largest."""

    lse: _C.Tensor | None = None
    max_scores: _C.Tensor | None = None


class FlexKernelOptions(TypedDict, total=False):
    """Options of PyTorch's kernels for GPUs, which change no number and are not looked at."""

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    WRITE_DQ: bool
    FORCE_USE_FLEX_ATTENTION: bool
    USE_TMA: bool
    BACKEND: str


def _parameters(function):
    """How many arguments without default a function has."""
    parameters = inspect.signature(function).parameters.values()
    count = sum(p.default is p.empty for p in parameters)
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return count


def _over_all(function, *before):
    """A function of single indices as one of vectors of them; `before` are the dims of what is in front."""
    for dims in (
        (None, None, None, 0),
        (None, None, 0, None),
        (None, 0, None, None),
        (0, *[None] * 3),
    ):
        function = vmap(function, in_dims=(*before, *dims))
    return function


def _indices(shape, device):
    return [_C.arange(n, device=device) for n in shape]


def or_masks(*mask_mods):
    """The mask by which a query sees a key if it does by any of several.

    Raises:
        RuntimeError: something that cannot be called.
    """
    return _joined(mask_mods, _C.logical_or, False)


def and_masks(*mask_mods):
    """The mask by which a query sees a key if it does by all of several.

    Raises:
        RuntimeError: something that cannot be called.
    """
    return _joined(mask_mods, _C.logical_and, True)


def _joined(mask_mods, join, start):
    if not all(callable(mask) for mask in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def mask(b, h, q_idx, kv_idx):
        result = b.new_full((), start, dtype=_C.bool)
        for mod in mask_mods:
            result = join(result, mod(b, h, q_idx, kv_idx))
        return result

    return mask


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):  # noqa: N803 - PyTorch's names
    """(B, H, Q_LEN, KV_LEN) of whether a query sees a key.

    Args:
        mod_fn: of (batch, head, query, key), or of a score and those: it masks what it makes -inf.

    Raises:
        AssertionError: a function of another number of arguments.
    """
    device = _get_accelerator() if device is None else device
    shape = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    if _parameters(mod_fn) == 4:
        return _over_all(mod_fn)(*_indices(shape, device))
    scores = _C.zeros(shape, device=device)
    return ~_C.isneginf(_over_all(mod_fn, 0)(scores, *_indices(shape, device)))


def _seen_pairs(mask, block):
    """How many pairs each block of queries and block of keys have that see each other."""
    rows, width = (_block_mask.blocks_of(n, b) for n, b in zip(mask.shape[-2:], block))
    missing = (0, width * block[1] - mask.size(-1), 0, rows * block[0] - mask.size(-2))
    padded = pad(mask, missing)
    return padded.view(*mask.shape[:2], rows, block[0], width, block[1]).sum((3, 5))


def create_block_mask(
    mask_mod,
    B,  # noqa: N803
    H,  # noqa: N803
    Q_LEN,  # noqa: N803
    KV_LEN,  # noqa: N803
    device=None,
    BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE,  # noqa: N803
    _compile=False,
    separate_full_blocks=True,
    compute_dq_write_order=False,
    dq_kv_order=True,
):
    """The BlockMask of a function of (batch, head, query, key).

    Args:
        separate_full_blocks: whether blocks that are seen as a whole are listed apart.

    Raises:
        AssertionError: a function of another number of arguments.
        NotImplementedError: compute_dq_write_order, of kernels that are not there.
    """
    if _parameters(mask_mod) != 4:
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if compute_dq_write_order:
        raise NotImplementedError(
            "create_block_mask(): compute_dq_write_order is for a kernel of PyTorch's; expected False"
        )
    block = _pair(BLOCK_SIZE)
    seen = _seen_pairs(create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device), block)
    whole = seen == block[0] * block[1]
    partial = (seen > 0) & ~whole if separate_full_blocks else seen > 0
    full = _block_mask.listed(whole) if separate_full_blocks else ()
    return BlockMask.from_kv_blocks(
        *_block_mask.listed(partial),
        *full,
        BLOCK_SIZE=block,
        mask_mod=mask_mod,
        seq_lengths=(Q_LEN, KV_LEN),
    )


def _scores(query, key, score_mod, mask_mod, scale):
    """The scores as the functions change and mask them, in float32 or in float64."""
    precision = _C.float64 if query.dtype == _C.float64 else _C.float32
    scores = query.to(precision) @ key.to(precision).transpose(-2, -1) * scale
    indices = _indices(scores.shape, scores.device)
    if score_mod is not None:
        scores = _over_all(score_mod, 0)(scores, *indices)
    if mask_mod is None:
        return scores
    return scores.masked_fill(~_over_all(mask_mod)(*indices), -math.inf)


def _probabilities(scores):
    """Their softmax; nothing for queries that see no key."""
    sees_none = (scores == -math.inf).all(-1, keepdim=True)
    found = _C.softmax(scores.masked_fill(sees_none, 0.0), -1)
    return found.masked_fill(sees_none, 0.0)


def flex_attention(
    query,
    key,
    value,
    score_mod=None,
    block_mask=None,
    scale=None,
    enable_gqa=False,
    return_lse=False,
    kernel_options=None,
    *,
    return_aux=None,
):
    """softmax(mask(score_mod(query keyᵀ scale))) value

    Args:
        query, key, value: (batch, heads, length, size)
        score_mod: of a score and the numbers of its batch, head, query and key: another score.
        block_mask: a BlockMask; its mask_mod decides which scores count.
        scale: a factor of scores; None is 1 / √size.
        enable_gqa: whether several heads of queries may share one of keys.
        return_aux: an AuxRequest; beside the result comes an AuxOutput.
        return_lse: an older form of the request for `lse`.
        kernel_options: not looked at.

    Raises:
        ValueError, NotImplementedError: tensors that do not fit.
        RuntimeError: a mask of other lengths, or a part of one without a mask_mod of its own.
    """
    _flex_checks.check_tensors(query, key, value, enable_gqa, block_mask)
    if block_mask is not None:
        _flex_checks.check_mask(block_mask, query, key)
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
            "return_aux=AuxRequest(lse=True) instead."
        )
    share = query.size(1) // key.size(1)
    key, value = (
        t.repeat_interleave(share, 1).expand(query.size(0), -1, -1, -1) for t in (key, value)
    )
    scale = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = _scores(query, key, score_mod, getattr(block_mask, "mask_mod", None), scale)
    out = _probabilities(scores).to(query.dtype) @ value.to(query.dtype)
    if return_aux is None:
        return (out, scores.logsumexp(-1)) if return_lse else out
    lse = scores.logsumexp(-1) if return_aux.lse else None
    return out, AuxOutput(lse, scores.amax(-1) if return_aux.max_scores else None)
