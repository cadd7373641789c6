# Types of opweave.autograd.forward_ad.
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from opweave import Tensor

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

class UnpackedDualTensor(NamedTuple):
    primal: Tensor
    tangent: Tensor | None

class dual_level:
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> int: ...
    def __exit__(self, *exception: object) -> None: ...

def enter_dual_level() -> int: ...
def exit_dual_level(*, level: int | None = None) -> None: ...
def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor: ...
def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor: ...
