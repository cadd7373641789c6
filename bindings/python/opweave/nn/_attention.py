"""Attention with several heads, as a function of its weights."""

import math

from opweave import _C
from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable
from opweave.nn._functions import dropout


def _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether the inputs are batches (L, N, E), and not single examples (L, E)."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    kind = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
    for name, tensor, wanted in (
        ("key", key, dims),
        ("value", value, dims),
        ("key_padding_mask", key_padding_mask, dims - 1),
    ):
        if tensor is not None and tensor.dim() != wanted:
            raise AssertionError(
                f"For {kind} `query`, expected `{name}` to be {wanted}-D but found {tensor.dim()}-D tensor"
            )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be None, 2-D or 3-D but found {attn_mask.dim()}-D "
            "tensor instead"
        )
    if dims == 2 and attn_mask is not None and attn_mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if tuple(attn_mask.shape) != expected:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected} but got {tuple(attn_mask.shape)}"
            )
    return dims == 3


def _as_added(mask, name, dtype):
    """A mask as numbers that are added to scores: -inf where a bool is true."""
    if mask is None:
        return None
    if mask.dtype == _C.bool:
        return _C.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)
    if not mask.is_floating_point():
        raise AssertionError(
            f"only bool and floating types of {name} are supported, but got {mask.dtype}"
        )
    return mask


def _projected(query, key, value, weights, bias):
    """The three inputs after their projections; one product where they are the same tensor."""
    if isinstance(weights, _C.Tensor):
        if query is key and key is value:
            return _F.linear(query, weights, bias).chunk(3, -1)
        weights = weights.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    inputs = (query, key, value)
    return [_F.linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]


def _attention_mask(attn_mask, batch, num_heads, steps):
    """(N * heads or 1, L, S)."""
    if attn_mask is None:
        return None
    if attn_mask.dim() == 2:
        if tuple(attn_mask.shape) != steps:
            raise RuntimeError(
                f"The shape of the 2D attn_mask is {tuple(attn_mask.shape)}, but should be {steps}."
            )
        return attn_mask.unsqueeze(0)
    expected = (batch * num_heads, *steps)
    if tuple(attn_mask.shape) != expected:
        raise RuntimeError(
            f"The shape of the 3D attn_mask is {tuple(attn_mask.shape)}, but should be {expected}."
        )
    return attn_mask


def _lengthened(mask, count=1):
    return None if mask is None else _F.pad(mask, (0, count))


def _heads(tensor, num_heads):
    """(S, N, E) as (N * heads, S, E / heads)."""
    steps, batch, width = tensor.shape
    return tensor.contiguous().view(steps, batch * num_heads, width // num_heads).transpose(0, 1)


def _fixed(tensor, given, name, rows, width):
    """The caller's keys or values instead of the computed ones."""
    if given is None:
        return tensor
    if given.size(0) != rows or given.size(2) != width:
        raise AssertionError(
            f"expecting {name} of sizes ({rows}, *, {width}), but got {tuple(given.shape)}"
        )
    return given


def _merged(attn_mask, key_padding_mask, batch, num_heads):
    if key_padding_mask is None:
        return attn_mask
    steps = key_padding_mask.size(1)
    rows = key_padding_mask.view(batch, 1, 1, steps).expand(-1, num_heads, -1, -1)
    rows = rows.reshape(batch * num_heads, 1, steps)
    return rows if attn_mask is None else attn_mask + rows


def _with_weights(q, k, v, mask, dropout_p):
    """The attended values of (N * heads, S, E) and the weights."""
    scores = (q * math.sqrt(1.0 / q.size(-1))).bmm(k.transpose(-2, -1))
    weights = (scores if mask is None else scores + mask).softmax(-1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return weights.bmm(v), weights


def _fused(q, k, v, mask, dropout_p, is_causal, sizes):
    """The attended values alone; `sizes` are those of the batch and the number of heads, also of none."""
    q, k, v = (t.view(*sizes, *t.shape[1:]) for t in (q, k, v))
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(*sizes, *mask.shape[1:])
    out = _F.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    return out.reshape(sizes[0] * sizes[1], *out.shape[2:])


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """Attention of num_heads heads, with the weights of nn.MultiheadAttention.

    Shapes: query (L, N, E) or (L, E), key and value (S, N, *) or (S, *); the result is the attended values,
    of the query's shape, and the weights (N, L, S), or (N, heads, L, S) if not averaged, or None.

    Raises:
        AssertionError: inputs, masks or weights whose sizes do not fit.
        RuntimeError: an attn_mask of another shape, or is_causal without one.
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint; it is used where the weights or a "
            "key_padding_mask are wanted as well."
        )
    if not batched:
        same = query is key and key is value
        query, value = query.unsqueeze(1), value.unsqueeze(1)
        key = query if same else key.unsqueeze(1)
        value = query if same else value
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    head = _checked_head(width, embed_dim_to_check, num_heads)
    key_padding_mask = _as_added(key_padding_mask, "key_padding_mask", query.dtype)
    is_causal = is_causal and key_padding_mask is None and not need_weights
    attn_mask = None if is_causal else _as_added(attn_mask, "attn_mask", query.dtype)
    attn_mask = _attention_mask(attn_mask, batch, num_heads, (length, key.shape[0]))
    weights = in_proj_weight
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {tuple(key.shape[:2])} do not match value's "
                f"{tuple(value.shape[:2])}"
            )
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    elif key.shape != value.shape:
        raise AssertionError(
            f"key shape {tuple(key.shape)} does not match value shape {tuple(value.shape)}"
        )
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    if (bias_k is None) != (bias_v is None):
        given, missing = ("bias_v", "bias_k") if bias_k is None else ("bias_k", "bias_v")
        raise AssertionError(f"{given} is set but {missing} is None")
    if bias_k is not None:
        k = _C.cat([k, bias_k.expand(1, batch, -1)])
        v = _C.cat([v, bias_v.expand(1, batch, -1)])
        attn_mask, key_padding_mask = _lengthened(attn_mask), _lengthened(key_padding_mask)
    q, rows = _heads(q, num_heads), batch * num_heads
    k = (
        _fixed(k, static_k, "static_k", rows, head)
        if static_k is not None
        else _heads(k, num_heads)
    )
    v = (
        _fixed(v, static_v, "static_v", rows, head)
        if static_v is not None
        else _heads(v, num_heads)
    )
    if add_zero_attn:
        k, v = (_C.cat([t, t.new_zeros(rows, 1, head)], 1) for t in (k, v))
        attn_mask, key_padding_mask = _lengthened(attn_mask), _lengthened(key_padding_mask)
    if key_padding_mask is not None and tuple(key_padding_mask.shape) != (batch, k.size(1)):
        raise AssertionError(
            f"expecting key_padding_mask shape of {(batch, k.size(1))}, but got "
            f"{tuple(key_padding_mask.shape)}"
        )
    mask = _merged(attn_mask, key_padding_mask, batch, num_heads)
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        out, found = _with_weights(q, k, v, mask, dropout_p)
        found = found.view(batch, num_heads, length, k.size(1))
        found = found.mean(1) if average_attn_weights else found
    else:
        sizes = batch, num_heads
        out, found = _fused(q, k, v, mask, dropout_p, is_causal, sizes), None
    out = out.transpose(0, 1).contiguous().view(length * batch, width)
    out = _F.linear(out, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.size(-1))
    if batched:
        return out, found
    return out.squeeze(1), None if found is None else found.squeeze(0)


def _checked_head(width, expected, num_heads):
    """The size of a head."""
    if width != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {width}")
    if width % num_heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    return width // num_heads


_make_overridable(globals())
