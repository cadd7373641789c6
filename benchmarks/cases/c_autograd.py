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


def _mlp_jvp(xp) -> Sampler:
    """A derivative in the direction of the input of three layers, as torch.func has it."""
    xp.manual_seed(0)
    nn = xp.nn
    model = nn.Sequential(nn.Linear(784, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh())
    model.append(nn.Linear(512, 10)).requires_grad_(False)
    primal, tangent = xp.randn(64, 784), xp.randn(64, 784)
    jvp = xp.func.jvp

    def run() -> None:
        jvp(model, (primal,), (tangent,))

    return function(run)


@row("recording an add", "PyTorch", 0.4, "0.2")
def _() -> Pair:
    return Pair(_recording(opweave), _recording(torch))


@row(f"chain of {CHAIN} operators, forward and backward", "PyTorch", 0.4, "0.2")
def _() -> Pair:
    return Pair(_chain(opweave), _chain(torch))


@row("jvp of an MLP 784-512-512-10, batch 64", "PyTorch", 1.0, "0.6")
def _() -> Pair:
    return Pair(_mlp_jvp(opweave), _mlp_jvp(torch))
