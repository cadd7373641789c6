"""Optimizers."""

from opweave.optim.optimizer import Optimizer  # noqa: F401
from opweave.optim.adam import Adam, AdamW  # noqa: F401
from opweave.optim.sgd import SGD  # noqa: F401
