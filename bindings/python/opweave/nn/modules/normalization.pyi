# Types of opweave.nn.modules.normalization.
from collections.abc import Sequence
from typing import Any

from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

class GroupNorm(Module):
    num_groups: int
    num_channels: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LayerNorm(Module):
    weight: Parameter
    bias: Any
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LocalResponseNorm(Module):
    size: int
    def __init__(
        self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
    ) -> None: ...

class RMSNorm(Module):
    weight: Parameter
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
