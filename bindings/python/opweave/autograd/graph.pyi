# Types of opweave.autograd.graph.
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple

from opweave import Tensor
from opweave._C import _Node
from opweave.utils.hooks import RemovableHandle

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
Node = _Node

class GradientEdge(NamedTuple):
    node: Any
    output_nr: int
    ownership_token: Any = None

def get_gradient_edge(tensor: Tensor) -> GradientEdge: ...
def increment_version(tensor: Tensor | Sequence[Tensor]) -> None: ...
def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle: ...
def allow_mutation_on_saved_tensors() -> AbstractContextManager[Any]: ...
def disable_saved_tensors_hooks(error_message: str) -> AbstractContextManager[None]: ...

class saved_tensors_hooks:
    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...

class save_on_cpu(saved_tensors_hooks):
    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None: ...
