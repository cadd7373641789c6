# Types of opweave.nn.modules.transformer.
from collections.abc import Callable
from typing import Any

from opweave import Tensor
from opweave.nn.modules.module import Module

class Transformer(Module):
    d_model: int
    nhead: int
    dim_feedforward: int
    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = ...,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    encoder: Any
    decoder: Any
    batch_first: bool
    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: Any = None
    ) -> Tensor: ...

class TransformerDecoder(Module):
    num_layers: int
    def __init__(
        self, decoder_layer: Module, num_layers: int, norm: Module | None = None
    ) -> None: ...

class _Layer(Module): ...

class TransformerDecoderLayer(_Layer):
    d_model: int
    nhead: int
    dim_feedforward: int
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = ...,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class TransformerEncoder(Module):
    num_layers: int
    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None: ...

class TransformerEncoderLayer(_Layer):
    d_model: int
    nhead: int
    dim_feedforward: int
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = ...,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
