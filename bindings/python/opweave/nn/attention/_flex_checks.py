"""What flex_attention() refuses."""

from opweave.nn.attention import _block_mask


def check_tensors(query, key, value, enable_gqa, block_mask):
    """Refuses queries, keys and values that do not fit."""
    devices = {t.device for t in (query, key, value)}
    if len(devices) > 1:
        raise ValueError(
            "Expected query, key, and value to have the same device type, but got query.device: "
            f"{query.device}, key.device: {key.device}, and value.device: {value.device} instead."
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension but got "
            f"E={query.size(-1)} and E={key.size(-1)}."
        )
    if any(t.dim() != 4 for t in (query, key, value)):
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, of_keys = query.size(1), key.size(1)
    if not enable_gqa and heads != of_keys:
        raise ValueError(
            "Expect query and key/value to have the same number of heads but got "
            f"Hq={heads} and Hkv={of_keys}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and heads % of_keys:
        raise ValueError(
            "Expect number of query heads to be a multiple of kv heads for GQA but got "
            f"Hq={heads} and Hkv={of_keys}."
        )
    if query.size(0) != key.size(0) and block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but got "
            f"block_mask=None, Bq={query.size(0)}, and Bkv={key.size(0)}."
        )


def check_mask(block_mask, query, key):
    """Refuses a BlockMask of other lengths, batches or devices."""
    if block_mask.mask_mod is _block_mask.sliced_mask:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    if query.size(0) != key.size(0) and block_mask.kv_num_blocks.size(0) != query.size(0):
        raise ValueError(
            "Expect query and key/value to have the same batch size, or block_mask and query to have the "
            f"same batch size, but got Bq={query.size(0)}, Bkv={key.size(0)}, "
            f"B_block_mask={block_mask.kv_num_blocks.size(0)}."
        )
    if query.device != block_mask.kv_num_blocks.device:
        raise RuntimeError(
            f"Expect q/k/v and block_mask to be on the same device but got {query.device} and "
            f"{block_mask.kv_num_blocks.device}."
        )
    if tuple(block_mask.BLOCK_SIZE) == (_block_mask.LARGE_BLOCK, _block_mask.LARGE_BLOCK):
        return
    lengths, given = (query.size(-2), key.size(-2)), block_mask.shape[-2:]
    if any(n > m for n, m in zip(lengths, given)):
        raise RuntimeError(
            "block_mask was created for a smaller length than you're using it for, you likely need to "
            "create a new block mask."
        )
    if lengths != given:
        raise RuntimeError(
            "block_mask was created for a larger length than you're using it for, you can either 1. create "
            "a new block mask with the correct length, or 2. 'adjust' the existing block mask to the "
            "correct length by calling block_mask._adjust(q_len, kv_len). This essentially 'crops' the "
            "block mask to the upper left corner, which does not work for all mask_mods!"
        )
