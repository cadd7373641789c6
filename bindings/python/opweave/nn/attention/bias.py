"""Masks of causal attention by name, as `attn_mask` of scaled_dot_product_attention()."""

import enum

from opweave import _C
from opweave._C import Tensor

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """Which corner of the mask the diagonal goes through."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A mask of (queries, keys), true where a query sees a key.

    Args:
        variant: a CausalVariant.
        seq_len_q: how many queries.
        seq_len_kv: how many keys.

    Raises:
        AssertionError: no CausalVariant.
    """

    def __new__(cls, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(
                f"CausalBias(): variant: expected a CausalVariant, got {type(variant).__name__}"
            )
        lower = variant == CausalVariant.LOWER_RIGHT
        whole = _C.ones(seq_len_q, seq_len_kv, dtype=_C.bool)
        self = _C.tril(whole, seq_len_kv - seq_len_q if lower else 0).as_subclass(cls)
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        return self

    def __init__(self, variant, seq_len_q, seq_len_kv):
        pass

    def _materialize(self, device=None):
        """The mask as a plain tensor."""
        return self.as_subclass(Tensor).to(device if device is not None else self.device)

    def __repr__(self):
        return repr(self._materialize())

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Results are plain tensors."""
        with _C.DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
        return result.as_subclass(Tensor) if isinstance(result, cls) else result


def causal_upper_left(*size):
    """The first query sees the first key, the second the first two, and so on."""
    return CausalBias(CausalVariant.UPPER_LEFT, *_two(size))


def causal_lower_right(*size):
    """The last query sees all keys, the one before it all but the last, and so on."""
    return CausalBias(CausalVariant.LOWER_RIGHT, *_two(size))


def _two(size):
    if len(size) != 2:
        raise AssertionError(f"size must be 2D, got {len(size)}D")
    return size
