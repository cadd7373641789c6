"""A network for digits and its loss, for python -m opweave.distributed.plan model_digits.py."""

import opweave as ow
from opweave import nn
from train_digits import network

BATCH = 64


def model():
    ow.manual_seed(0)
    return network(nn)


def loss(model):
    """Of digits that are drawn at random: what matters here is how long it takes."""
    labels = ow.arange(BATCH) % 10
    return nn.functional.cross_entropy(model(ow.randn(BATCH, 1, 8, 8)), labels)


def optimizer(parameters):
    return ow.optim.AdamW(parameters, lr=2e-3)
