# Types of opweave.nn.parameter.
from typing import Any

from opweave import Tensor

class Parameter(Tensor):
    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter: ...

class Buffer(Tensor):
    persistent: bool
    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer: ...

class UninitializedTensorMixin:
    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None: ...

def is_lazy(parameter: Any) -> bool: ...

class UninitializedParameter(UninitializedTensorMixin, Parameter):
    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: Any = None
    ) -> UninitializedParameter: ...

class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    persistent: bool
    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> UninitializedBuffer: ...
