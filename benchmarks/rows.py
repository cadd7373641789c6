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


_rows: list[Row] = []


def add_row(
    name: str, against: str, goal: float, prepare: Callable[[], Pair], aim: str = ""
) -> None:
    """A row of the table; `goal` is the largest ratio of times, `aim` where it should head."""
    _rows.append(Row(name, against, goal, aim, prepare))


def row(name: str, against: str, goal: float, aim: str = "") -> Callable[..., Callable[[], Pair]]:
    """Decorates the `prepare` of a row."""

    def register(prepare: Callable[[], Pair]) -> Callable[[], Pair]:
        add_row(name, against, goal, prepare, aim)
        return prepare

    return register


def all_rows() -> list[Row]:
    """The rows of every module of cases/, in the order of the modules' names."""
    for module in sorted(module.name for module in pkgutil.iter_modules(cases.__path__)):
        importlib.import_module(f"cases.{module}")
    return _rows
