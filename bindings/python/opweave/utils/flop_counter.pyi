# Types of opweave.utils.flop_counter.
from collections import Counter
from collections.abc import Callable
from typing import Any, Self, TypeVar

from opweave import nn
from opweave._ops import OpOverloadPacket

_F = TypeVar("_F", bound=Callable[..., Any])

flop_registry: dict[OpOverloadPacket, Callable[..., int]]

def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[_F], _F]: ...

class FlopCounterMode:
    depth: int | None
    display: bool
    skip_unsupported: bool
    def __init__(
        self,
        mods: nn.Module | list[nn.Module] | None = None,
        depth: int | None = 2,
        display: bool = True,
        custom_mapping: dict[Any, Callable[..., int]] | None = None,
        skip_unsupported: bool = False,
    ) -> None: ...
    def get_total_flops(self) -> int: ...
    def get_unsupported_ops(self) -> Counter[str]: ...
    def get_flop_counts(self) -> dict[str, dict[OpOverloadPacket, int]]: ...
    def get_table(self, depth: int | None = None) -> str: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *args: object) -> None: ...
