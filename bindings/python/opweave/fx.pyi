from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T", str, Callable[..., Any])

def wrap(fn_or_name: T) -> T: ...
