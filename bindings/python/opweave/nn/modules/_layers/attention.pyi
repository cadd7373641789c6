# Types of opweave.nn.modules._layers.attention.
from typing import Any

from opweave.nn.modules.module import Module

class MultiheadAttention(Module):
    embed_dim: int
    num_heads: int
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: Any = None,
        vdim: Any = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
