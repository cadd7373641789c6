"""Large pointwise operators against plain loops over memory of the same size."""

import opweave
import torch
from baseline import Buffers
from measure import Pair, statement
from rows import add_row

LARGE = 30_000_000
SMALL = 10_000

BINARY = ("add", "mul")
UNARY = {
    "exp": "exp",
    "tanh": "tanh",
    "sigmoid": "sigmoid",
    "gelu": "nn.functional.gelu",
    "log": "log",
    "sin": "sin",
    "erf": "erf",
}


def _member(xp, path: str):
    for part in path.split("."):
        xp = getattr(xp, part)
    return xp


def _positive(xp, size: int):
    """Values at which all of UNARY are defined and none is trivial."""
    return xp.linspace(0.1, 3.0, size)


def _binary(name: str, code: str, loop: str):
    def prepare() -> Pair:
        a, b, c = (opweave.ones(LARGE) for _ in range(3))
        ours = statement(code, f=getattr(opweave, name), a=a, b=b, c=c)
        return Pair(ours, Buffers(LARGE).sampler(loop))

    return prepare


def _unary_large(path: str):
    def prepare() -> Pair:
        ours = statement("f(a)", f=_member(opweave, path), a=_positive(opweave, LARGE))
        return Pair(ours, Buffers(LARGE).sampler("copy"))

    return prepare


def _unary_small(path: str):
    def prepare() -> Pair:
        return Pair(
            *(
                statement("f(a)", f=_member(xp, path), a=_positive(xp, SMALL))
                for xp in (opweave, torch)
            )
        )

    return prepare


for _name in BINARY:
    add_row(f"{_name} of 3e7, out=", "triad loop", 1.1, _binary(_name, "f(a, b, out=c)", "triad"))
    add_row(f"{_name} of 3e7, allocating", "triad loop", 1.1, _binary(_name, "f(a, b)", "triad"))
    add_row(
        f"{_name} of 3e7, out= (aim)",
        "streaming triad",
        1.1,
        _binary(_name, "f(a, b, out=c)", "triad_streaming"),
    )

for _name, _path in UNARY.items():
    add_row(f"{_name} of 3e7", "copy loop", 1.2, _unary_large(_path))
for _name, _path in UNARY.items():
    add_row(f"{_name} of 1e4", "PyTorch", 0.5, _unary_small(_path))
