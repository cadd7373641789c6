# Types of opweave.autograd.variable.
from collections.abc import Callable, Sequence
from typing import Any

from opweave import Tensor

__all__ = ["Variable"]

class ImperativeEngine:
    @staticmethod
    def queue_callback(callback: Callable[[], object]) -> None: ...
    @staticmethod
    def run_backward(
        tensors: Sequence[Tensor],
        grad_tensors: Sequence[Tensor | None] | None = None,
        keep_graph: bool = False,
        create_graph: bool = False,
        inputs: Sequence[Tensor] = (),
        allow_unreachable: bool = False,
        accumulate_grad: bool = False,
    ) -> tuple[Any, ...]: ...

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
