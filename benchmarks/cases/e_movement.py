"""Operators whose cost is the order in which they walk memory."""

import opweave
import torch
from measure import Pair, statement
from rows import add_row

SIDE = 4096


def _matrices(xp) -> dict:
    xp.manual_seed(0)
    return {"a": xp.randn(SIDE, SIDE), "b": xp.randn(SIDE, SIDE)}


def _values(xp) -> dict:
    xp.manual_seed(0)
    return {"v": xp.randn(1_000_000)}


def _both(code: str, operands):
    def prepare() -> Pair:
        return Pair(*(statement(code, **operands(xp)) for xp in (opweave, torch)))

    return prepare


for _name, _code, _operands, _goal in (
    (f"a + b.t() at {SIDE}x{SIDE}", "a + b.t()", _matrices, 0.3),
    (f"transposed copy at {SIDE}x{SIDE}", "a.t().contiguous()", _matrices, 0.3),
    (f"sum over dim 0 at {SIDE}x{SIDE}", "a.sum(0)", _matrices, 0.6),
    (f"argmax at {SIDE}x{SIDE}", "a.argmax()", _matrices, 0.4),
    (f"cumsum over dim 0 at {SIDE}x{SIDE}", "a.cumsum(0)", _matrices, 0.2),
    ("sort of 1e6", "v.sort()", _values, 0.15),
):
    add_row(_name, "PyTorch", _goal, _both(_code, _operands))
