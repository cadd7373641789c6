"""Random numbers of PyTorch's engine, which come one after the other; softmax into a tensor that exists."""

import opweave
import torch
from measure import Pair, statement
from rows import add_row

COUNT = 1_000_000


def _twisters() -> list[dict]:
    twister = opweave.Generator(engine="mt19937").manual_seed(0)
    return [
        {"xp": opweave, "n": COUNT, "g": twister, "x": opweave.empty(COUNT)},
        {"xp": torch, "n": COUNT, "g": torch.Generator().manual_seed(0), "x": torch.empty(COUNT)},
    ]


def _matrices() -> list[dict]:
    return [
        {"xp": xp, "x": xp.ones(4096, 1024), "out": xp.empty(4096, 1024)} for xp in (opweave, torch)
    ]


def _both(code: str, operands):
    def prepare() -> Pair:
        return Pair(*(statement(code, **each) for each in operands()))

    return prepare


for _name, _code, _operands, _goal in (
    ("randn of 1e6, mt19937", "xp.randn(n, generator=g)", _twisters, 1),
    ("uniform_ of 1e6, mt19937", "x.uniform_(generator=g)", _twisters, 1),
    ("bernoulli_ of 1e6, mt19937", "x.bernoulli_(0.9, generator=g)", _twisters, 1),
    ("softmax of 4096x1024 into out", "xp.softmax(x, 1, out=out)", _matrices, 1),
):
    add_row(_name, "PyTorch", _goal, _both(_code, _operands))
