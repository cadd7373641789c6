# Types of opweave.nn.modules.activation.
from typing import Any

from opweave.nn.modules.module import Module

class _Activation(Module): ...

class CELU(_Activation):
    alpha: float
    inplace: bool
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...

class ELU(_Activation):
    alpha: float
    inplace: bool
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...

class GELU(_Activation):
    approximate: str
    def __init__(self, approximate: str = "none") -> None: ...

class GLU(_Activation):
    dim: int
    def __init__(self, dim: int = -1) -> None: ...

class _Shrink(_Activation):
    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...

class Hardshrink(_Shrink): ...

class _Hard(_Activation):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class Hardsigmoid(_Hard): ...
class Hardswish(_Hard): ...

class Hardtanh(_Activation):
    min_val: float
    max_val: float
    inplace: bool
    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None: ...

class LeakyReLU(_Activation):
    negative_slope: float
    inplace: bool
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None: ...

class LogSigmoid(_Activation):
    def __init__(self) -> None: ...

class LogSoftmax(_Activation):
    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...

class Mish(_Activation):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class PReLU(Module):
    num_parameters: int
    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None: ...

class RReLU(_Activation):
    lower: float
    upper: float
    inplace: bool
    def __init__(self, lower: float = ..., upper: float = ..., inplace: bool = False) -> None: ...

class ReLU(_Activation):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class ReLU6(Hardtanh):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class SELU(_Activation):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class SiLU(_Activation):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class Sigmoid(_Activation):
    def __init__(self) -> None: ...

class Softmax(_Activation):
    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...

class Softmax2d(Module):
    def __init__(self) -> None: ...

class Softmin(_Activation):
    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...

class Softplus(_Activation):
    beta: float
    threshold: float
    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None: ...

class Softshrink(_Shrink): ...

class Softsign(_Activation):
    def __init__(self) -> None: ...

class Tanh(_Activation):
    def __init__(self) -> None: ...

class Tanhshrink(_Activation):
    def __init__(self) -> None: ...

class Threshold(_Activation):
    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None: ...
