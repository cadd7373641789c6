"""Whole training steps."""

import opweave
import torch
from measure import Pair, Sampler, function
from models import cnn, mlp, step
from rows import row


def _sampler(xp, make) -> Sampler:
    model, inputs = make(xp)
    return function(step(xp, model, inputs))


@row("step of an MLP 784-512-512-10, batch 64, Adam", "PyTorch", 0.6)
def _() -> Pair:
    return Pair(_sampler(opweave, mlp), _sampler(torch, mlp))


@row("step of the quickstart's CNN, batch 64, Adam", "PyTorch", 0.8)
def _() -> Pair:
    return Pair(_sampler(opweave, cnn), _sampler(torch, cnn))
