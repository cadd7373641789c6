"""What one small call from Python costs."""

import numpy as np
import opweave
import torch
from measure import Pair, statement
from rows import add_row, row


@row("Python add of two 1-element tensors", "NumPy", 0.8, "0.4")
def _() -> Pair:
    a, b = opweave.ones(1), opweave.ones(1)
    x, y = np.ones(1, np.float32), np.ones(1, np.float32)
    return Pair(
        statement("add(a, b)", add=opweave.add, a=a, b=b),
        statement("add(a, b)", add=np.add, a=x, b=y),
    )


def _contender(xp, code: str):
    """`code` may name a library's functions, small tensors and a layer."""
    names = {
        "add": xp.add,
        "empty": xp.empty,
        "a": xp.ones(1),
        "b": xp.ones(1),
        "t": xp.ones(8, 8),
        "v": xp.ones(1000),
        "linear": xp.nn.Linear(8, 8),
    }
    return statement(code, **{name: value for name, value in names.items() if name in code})


def _against_pytorch(name: str, code: str) -> None:
    def prepare() -> Pair:
        return Pair(_contender(opweave, code), _contender(torch, code))

    add_row(f"Python {name}", "PyTorch", 0.3, prepare, "0.15")


for _name, _code in {
    "add of two 1-element tensors": "add(a, b)",
    "a + 1": "a + 1",
    "t[0]": "t[0]",
    "t[:, 1:5]": "t[:, 1:5]",
    "t.view(64)": "t.view(64)",
    "v.sum() of 1000": "v.sum()",
    "empty(1)": "empty(1)",
    "nn.Linear(8, 8) call": "linear(t)",
}.items():
    _against_pytorch(_name, _code)
