# Types of opweave.nn.modules.linear.
from collections.abc import Sequence
from typing import Any, Self

from opweave import Tensor
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

class Bilinear(Module):
    in1_features: int
    in2_features: int
    out_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...

class Embedding(Module):
    num_embeddings: int
    embedding_dim: int
    weight: Parameter
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    padding_idx: int | None
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self: ...
    def reset_parameters(self) -> None: ...

class Flatten(Module):
    start_dim: int
    end_dim: int
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...

class Identity(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Linear(Module):
    in_features: int
    out_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...

class Unflatten(Module):
    dim: int
    def __init__(self, dim: int, unflattened_size: int | Sequence[int]) -> None: ...

class NonDynamicallyQuantizableLinear(Linear): ...
