"""A network for digits and its loss, for python -m opweave.distributed.plan model_digits.py."""

from collections.abc import Iterable

import opweave as ow
from opweave import nn
from train_digits import network

BATCH = 64


def model() -> nn.Module:
    ow.manual_seed(0)
    made: nn.Module = network(nn)
    return made


def loss(model: nn.Module) -> ow.Tensor:
    """Of digits that are drawn at random: what matters here is how long it takes."""
    labels = ow.arange(BATCH) % 10
    return nn.functional.cross_entropy(model(ow.randn(BATCH, 1, 8, 8)), labels)


def optimizer(parameters: Iterable[ow.Tensor]) -> ow.optim.Optimizer:
    return ow.optim.AdamW(parameters, lr=2e-3)
