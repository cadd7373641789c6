"""Recording operators and running backward through them."""

import opweave
import torch
from measure import Pair, Sampler, function, statement
from rows import row

CHAIN = 300


def _recording(xp) -> Sampler:
    a = xp.ones(1, requires_grad=True)
    return statement("add(a, b)", add=xp.add, a=a, b=xp.ones(1))


def _chain(xp) -> Sampler:
    start = xp.ones(1, requires_grad=True)
    one = xp.ones(1)

    def run() -> None:
        value = start
        for _ in range(CHAIN):
            value = value + one
        value.backward()

    return function(run)


@row("recording an add", "PyTorch", 0.4, "0.2")
def _() -> Pair:
    return Pair(_recording(opweave), _recording(torch))


@row(f"chain of {CHAIN} operators, forward and backward", "PyTorch", 0.4, "0.2")
def _() -> Pair:
    return Pair(_chain(opweave), _chain(torch))
