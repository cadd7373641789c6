"""Transformers: encoder and decoder layers, stacks of them, and both together."""

import copy

from opweave import _C
from opweave.nn import functional, init
from opweave.nn.modules._layers.attention import MultiheadAttention
from opweave.nn.modules.activation import GELU, ReLU
from opweave.nn.modules.container import ModuleList
from opweave.nn.modules.dropout import Dropout
from opweave.nn.modules.linear import Linear
from opweave.nn.modules.module import Module
from opweave.nn.modules.normalization import LayerNorm


def _get_activation_fn(activation):
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(functional, activation)


def _kind_of_activation(activation):
    """1 of ReLU, 2 of GELU: PyTorch asks layers for it that it has read from a file."""
    for kind, (function, layer) in enumerate(((functional.relu, ReLU), (functional.gelu, GELU)), 1):
        if activation is function or isinstance(activation, layer):
            return kind
    return 0


def _get_clones(module, N):  # noqa: N803 - PyTorch's name
    # One by one: what is no module is refused before the second copy.
    layers = ModuleList()
    for _ in range(N):
        layers.append(copy.deepcopy(module))
    return layers


def _generate_square_subsequent_mask(sz, device=None, dtype=None):
    """(sz, sz): -inf above the diagonal, zeros elsewhere."""
    return _C.full((sz, sz), float("-inf"), device=device, dtype=dtype).triu(1)


def _is_causal(mask, is_causal, size=None):
    """What a caller says of a mask, or what comparing it with a causal one says."""
    if is_causal is not None or mask is None:
        return bool(is_causal)
    rows = size if size is not None else mask.size(-2)
    causal = _generate_square_subsequent_mask(
        rows, mask.device, mask.dtype if mask.is_floating_point() else None
    )
    return mask.size() == causal.size() and bool((mask == causal).all())


class _Layer(Module):
    """What both kinds of layers share: the feed-forward part and its options."""

    def __init__(
        self,
        d_model,
        dim_feedforward,
        dropout,
        activation,
        layer_norm_eps,
        norm_first,
        bias,
        options,
    ):
        super().__init__()
        self._norm_options = {"eps": layer_norm_eps, "bias": bias, **options}
        self._linear_options = {"bias": bias, **options}
        self._size, self._inner, self._p = d_model, dim_feedforward, dropout
        self.norm_first = norm_first
        self.activation = _get_activation_fn(activation)

    def __setstate__(self, state):
        super().__setstate__({"activation": functional.relu, **state})  # older than others

    def _add_feed_forward(self):
        self.linear1 = Linear(self._size, self._inner, **self._linear_options)
        self.dropout = Dropout(self._p)
        self.linear2 = Linear(self._inner, self._size, **self._linear_options)

    def _add_norms(self, count):
        for i in range(1, count + 1):
            setattr(self, f"norm{i}", LayerNorm(self._size, **self._norm_options))
        for i in range(1, count + 1):
            setattr(self, f"dropout{i}", Dropout(self._p))

    def _feed(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _around(self, x, norm, function):
        """A part of the layer, added to its input and normalised, before or after."""
        return x + function(norm(x)) if self.norm_first else norm(x + function(x))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network. Shapes: (L, N, d_model), N first with batch_first."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=functional.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        options = {"device": device, "dtype": dtype}
        super().__init__(
            d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, options
        )
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **options
        )
        self.activation_relu_or_gelu = _kind_of_activation(self.activation)
        self._add_feed_forward()
        self._add_norms(2)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """The source, attended to itself."""

        def attend(x):
            out, _ = self.self_attn(
                x,
                x,
                x,
                attn_mask=src_mask,
                key_padding_mask=src_key_padding_mask,
                need_weights=False,
                is_causal=is_causal,
            )
            return self.dropout1(out)

        x = self._around(src, self.norm1, attend)
        return self._around(x, self.norm2, lambda x: self.dropout2(self._feed(x)))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to a memory, and a feed-forward network."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=functional.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        options = {"device": device, "dtype": dtype}
        super().__init__(
            d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, bias, options
        )
        for name in ("self_attn", "multihead_attn"):
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **options
            )
            setattr(self, name, attention)
        self._add_feed_forward()
        self._add_norms(3)

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        """The target, attended to itself and to the memory."""
        if memory is None:
            raise AttributeError("TransformerDecoderLayer: memory: expected a Tensor, got None")

        def attend(attention, dropout, other, mask, padding, is_causal):
            def function(x):
                keys = x if other is None else other
                out, _ = attention(
                    x,
                    keys,
                    keys,
                    attn_mask=mask,
                    key_padding_mask=padding,
                    need_weights=False,
                    is_causal=is_causal,
                )
                return dropout(out)

            return function

        to_itself = attend(
            self.self_attn, self.dropout1, None, tgt_mask, tgt_key_padding_mask, tgt_is_causal
        )
        to_memory = attend(
            self.multihead_attn,
            self.dropout2,
            memory,
            memory_mask,
            memory_key_padding_mask,
            memory_is_causal,
        )
        x = self._around(tgt, self.norm1, to_itself)
        x = self._around(x, self.norm2, to_memory)
        return self._around(x, self.norm3, lambda x: self.dropout3(self._feed(x)))


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer.

    Args:
        encoder_layer: the layer that is copied.
        num_layers: how many.
        norm: a module for the output.
        enable_nested_tensor: for PyTorch's programs; padding is always computed with.
        mask_check: likewise.
    """

    def __init__(
        self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True
    ):
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """The source after all layers; is_causal None finds out whether the mask is a causal one."""
        causal = _is_causal(mask, is_causal, _steps(src, self.layers))
        for layer in self.layers:
            src = layer(
                src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask
            )
        return src if self.norm is None else self.norm(src)


def _steps(src, layers):
    first = getattr(layers[0], "self_attn", None) if len(layers) else None
    if src.dim() == 2:
        return src.size(0)
    return src.size(1 if getattr(first, "batch_first", False) else 0)


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        """The target after all layers."""
        causal = _is_causal(tgt_mask, tgt_is_causal, _steps(tgt, self.layers))
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder. Shapes: src (S, N, d_model), tgt (T, N, d_model); N first if batch_first."""

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation=functional.relu,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        options = {"device": device, "dtype": dtype}
        of_layers = (d_model, nhead, dim_feedforward, dropout, activation)
        more = (layer_norm_eps, batch_first, norm_first, bias)
        norm = {"eps": layer_norm_eps, "bias": bias, **options}
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*of_layers, *more, **options)
            custom_encoder = TransformerEncoder(
                layer, num_encoder_layers, LayerNorm(d_model, **norm)
            )
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*of_layers, *more, **options)
            custom_decoder = TransformerDecoder(
                layer, num_decoder_layers, LayerNorm(d_model, **norm)
            )
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        """The target, after attention to the encoded source."""
        self._check(src, tgt)
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    def _check(self, src, tgt):
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError(
                f"the batch number of src and tgt must be equal, but got {src.size(batch)} and "
                f"{tgt.size(batch)}"
            )
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError(
                f"the feature number of src and tgt must be equal to d_model, {self.d_model}, but got "
                f"{src.size(-1)} and {tgt.size(-1)}"
            )

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """(sz, sz): -inf where a step would see a later one."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self):
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
