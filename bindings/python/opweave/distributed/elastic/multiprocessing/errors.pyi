# Types of opweave.distributed.elastic.multiprocessing.errors.
from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

_P = ParamSpec("_P")
_R = TypeVar("_R")

@overload
def record(fn: Callable[_P, _R]) -> Callable[_P, _R]: ...
@overload
def record(fn: None = None) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
