"""A step of training as a plan has it: the network that the environment variable MODEL names."""

import os
from typing import Any

import models
import opweave as ow

_batch: dict[str, Any] = {}


def model() -> Any:
    made, _batch["inputs"] = getattr(models, os.environ["MODEL"])(ow)
    _batch["targets"] = ow.arange(models.BATCH) % 10
    return made


def loss(made: Any) -> Any:
    return ow.nn.functional.cross_entropy(made(_batch["inputs"]), _batch["targets"])


def optimizer(parameters: Any) -> Any:
    return ow.optim.Adam(parameters, lr=1e-3)
