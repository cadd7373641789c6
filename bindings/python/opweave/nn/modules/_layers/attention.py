"""nn.MultiheadAttention."""

from opweave import _C
from opweave.nn import functional, init
from opweave.nn.modules.linear import NonDynamicallyQuantizableLinear
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter


class MultiheadAttention(Module):
    """Attention of several heads, with projections of query, key and value.

    Shapes: query (L, N, E), key (S, N, kdim), value (S, N, vdim), N first with batch_first, without N for one
    example. Returns the attended values and the weights, or None without need_weights.
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        options = {"device": device, "dtype": dtype}
        self._add_projections(bias, options)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **options)
        for name in ("bias_k", "bias_v"):
            shape = (1, 1, embed_dim)
            setattr(self, name, Parameter(_C.empty(shape, **options)) if add_bias_kv else None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _add_projections(self, bias, options):
        width = self.embed_dim
        shapes = {"q_proj_weight": None, "k_proj_weight": None, "v_proj_weight": None}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(_C.empty((3 * width, width), **options))
        else:
            columns = (width, self.kdim, self.vdim)
            shapes = {name: (width, n) for name, n in zip(shapes, columns, strict=True)}
        for name, shape in shapes.items():
            value = None if shape is None else Parameter(_C.empty(shape, **options))
            self.register_parameter(name, value)
        if not self._qkv_same_embed_dim:
            self.register_parameter("in_proj_weight", None)
        value = Parameter(_C.empty(3 * width, **options)) if bias else None
        self.register_parameter("in_proj_bias", value)

    def _reset_parameters(self):
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state):
        super().__setstate__({"_qkv_same_embed_dim": True, **state})  # older than other widths

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        """The attended values, and the weights if they are wanted."""
        swap = self.batch_first and query.dim() == 3
        if swap:
            query, key, value = self._steps_first(query, key, value)
        out, weights = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (out.transpose(1, 0) if swap else out), weights

    @staticmethod
    def _steps_first(*tensors):
        """Each tensor once, so that those that are the same stay the same."""
        turned = {id(t): t.transpose(1, 0) for t in tensors}
        return [turned[id(t)] for t in tensors]
