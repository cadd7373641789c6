"""Optimizers."""

from opweave.optim.optimizer import Optimizer
from opweave.optim.adam import Adam, AdamW
from opweave.optim.sgd import SGD
from opweave.optim import lr_scheduler, swa_utils
