"""Whole training steps."""

import opweave
import torch
from measure import Pair, Sampler, function
from rows import row

BATCH = 64


def _step(xp, model, inputs, classes: int) -> Sampler:
    """Forward, loss, backward and an update of Adam on one fixed batch."""
    targets = xp.arange(BATCH) % classes
    optimizer = xp.optim.Adam(model.parameters(), lr=1e-3)
    cross_entropy = xp.nn.functional.cross_entropy

    def run() -> None:
        optimizer.zero_grad()
        cross_entropy(model(inputs), targets).backward()
        optimizer.step()

    return function(run)


def _mlp(xp) -> Sampler:
    xp.manual_seed(0)
    nn = xp.nn
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )
    return _step(xp, model, xp.randn(BATCH, 784), 10)


def _cnn(xp) -> Sampler:
    """The network that the quickstart trains on 8x8 scans of digits."""
    xp.manual_seed(0)
    nn = xp.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 4 * 4, 10),
    )
    return _step(xp, model, xp.randn(BATCH, 1, 8, 8), 10)


@row("step of an MLP 784-512-512-10, batch 64, Adam", "PyTorch", 0.6)
def _() -> Pair:
    return Pair(_mlp(opweave), _mlp(torch))


@row("step of the quickstart's CNN, batch 64, Adam", "PyTorch", 0.8)
def _() -> Pair:
    return Pair(_cnn(opweave), _cnn(torch))
