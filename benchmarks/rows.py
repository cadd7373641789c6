"""The table of comparisons: what each row measures, against what, and its goal."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

import cases
from measure import Pair


@dataclass(frozen=True)
class Row:
    """One comparison. `prepare` makes the contenders when the row's turn comes."""

    name: str
    against: str
    goal: float
    aim: str
    prepare: Callable[[], Pair]
    unit: str = "s"


_rows: list[Row] = []


def add_row(
    name: str,
    against: str,
    goal: float,
    prepare: Callable[[], Pair],
    aim: str = "",
    unit: str = "s",
) -> None:
    """A row of the table; `goal` is the largest ratio, `aim` where it should head.

    What is measured is in seconds, or in another `unit`.
    """
    _rows.append(Row(name, against, goal, aim, prepare, unit))


def row(
    name: str, against: str, goal: float, aim: str = "", unit: str = "s"
) -> Callable[..., Callable[[], Pair]]:
    """Decorates the `prepare` of a row."""

    def register(prepare: Callable[[], Pair]) -> Callable[[], Pair]:
        add_row(name, against, goal, prepare, aim, unit)
        return prepare

    return register


def all_rows() -> list[Row]:
    """The rows of every module of cases/, in the order of the modules' names."""
    for module in sorted(module.name for module in pkgutil.iter_modules(cases.__path__)):
        importlib.import_module(f"cases.{module}")
    return _rows
