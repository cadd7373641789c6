# Types of opweave.nn.modules._layers.embedding_bag.
from typing import Any, Self

from opweave import Tensor
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

class EmbeddingBag(Module):
    num_embeddings: int
    embedding_dim: int
    weight: Parameter
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self: ...
    def reset_parameters(self) -> None: ...
