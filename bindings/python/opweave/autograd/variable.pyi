# Types of opweave.autograd.variable.
from opweave import Tensor

__all__ = ["Variable"]

class VariableMeta(type): ...

class Variable(Tensor, metaclass=VariableMeta):
    def __new__(
        cls,
        data: Tensor | None = None,
        requires_grad: bool = False,
        volatile: bool = False,
        _grad_fn: object = None,
        name: str | None = None,
    ) -> Variable: ...
