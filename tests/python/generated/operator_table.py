"""What a row of the generated table of operators holds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

REQUIRED = object()  # the default of an argument that has none


@dataclass
class Argument:
    name: str
    type: str  # as in the schema
    keyword_only: bool
    default: Any
    sample: Any  # a domain's name, a list of values, or None


@dataclass
class Operator:
    full_name: str
    name: str
    module: str
    function: bool
    method: bool
    inplace: str | None  # the method's name
    out: bool
    view: bool
    differentiable: bool
    int_to_float: bool
    bool_result: bool
    dtypes: list[str]
    reference: Callable | None  # (functions, arguments) -> float64 array
    arguments: list[Argument] = field(default_factory=list)
