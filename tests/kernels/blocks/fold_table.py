"""What the generator says of programs that fold (codegen/emit/tests/test_folds.cc)."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    name: str  # of the operator
    struct: str
    walks: int
    inputs: list[str]  # arguments
    kinds: list[str]  # of these: "full", "column"
    rows: list[str]  # arguments with one number for each row
    params: list[
        tuple
    ]  # ("value", argument, type), ("given", argument, None), ("text", argument, text)
    results: list[str]  # "full", "row", "column"
    coordinates: list[str]  # "folded", "kept"
    values: Callable  # (functions, arguments) -> what results are
