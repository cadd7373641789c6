"""Whole training steps."""

import importlib.util
import sys
from pathlib import Path
from unittest import mock

import opweave
import torch
from measure import Pair, Sampler, function
from rows import row

BATCH = 64
MODEL = Path(__file__).parents[2] / "examples/digits/model.py"


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


def _digit_net(xp):
    """The class that the quickstart trains, made of either library's layers."""
    spec = importlib.util.spec_from_file_location(f"digit_net_{xp.__name__}", MODEL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, {"opweave": xp, "opweave.nn": xp.nn}):
        spec.loader.exec_module(module)
    return module.DigitNet


def _cnn(xp) -> Sampler:
    """With relu, which both libraries have; the quickstart's own activation only one has."""
    xp.manual_seed(0)
    return _step(xp, _digit_net(xp)(xp.relu), xp.randn(BATCH, 1, 8, 8), 10)


@row("step of an MLP 784-512-512-10, batch 64, Adam", "PyTorch", 0.6)
def _() -> Pair:
    return Pair(_mlp(opweave), _mlp(torch))


@row("step of the quickstart's CNN, batch 64, Adam", "PyTorch", 0.8)
def _() -> Pair:
    return Pair(_cnn(opweave), _cnn(torch))
