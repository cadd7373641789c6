# Types of opweave.nn.modules.utils.
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_Tuple = Callable[[Any], tuple[Any, ...]]

def _ntuple(n: int, name: str = "parse") -> _Tuple: ...

_single: _Tuple
_pair: _Tuple
_triple: _Tuple
_quadruple: _Tuple

def _reverse_repeat_tuple(t: Iterable[int], n: int) -> tuple[int, ...]: ...
def _list_with_default(out_size: int | list[int], defaults: Sequence[int]) -> int | list[int]: ...
def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None: ...
def checked_pairs(items: Any, name: str) -> list[tuple[str, Any]]: ...
