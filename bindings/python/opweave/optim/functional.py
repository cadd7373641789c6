"""A step of each optimiser on lists that the caller keeps."""

from opweave.optim._adafactor import adafactor
from opweave.optim._muon import muon
from opweave.optim.adadelta import adadelta
from opweave.optim.adagrad import adagrad
from opweave.optim.adam import adam
from opweave.optim.adamax import adamax
from opweave.optim.adamw import adamw
from opweave.optim.asgd import asgd
from opweave.optim.nadam import nadam
from opweave.optim.radam import radam
from opweave.optim.rmsprop import rmsprop
from opweave.optim.rprop import rprop
from opweave.optim.sgd import sgd
from opweave.optim.sparse_adam import sparse_adam

__all__ = [
    "adadelta",
    "adafactor",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "asgd",
    "muon",
    "nadam",
    "radam",
    "rmsprop",
    "rprop",
    "sgd",
    "sparse_adam",
]
