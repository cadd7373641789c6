# Types of opweave.nn.parameter.
from typing import Any

from opweave import Tensor

class Parameter(Tensor):
    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter: ...

class Buffer(Tensor):
    persistent: bool
    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer: ...

class UninitializedParameter(Parameter):
    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: Any = None
    ) -> UninitializedParameter: ...
    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None: ...

class UninitializedBuffer(Tensor):
    persistent: bool
    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> UninitializedBuffer: ...
    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None: ...
