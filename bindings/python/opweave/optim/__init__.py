"""Optimizers."""

from opweave.optim.optimizer import Optimizer
from opweave.optim._adafactor import Adafactor
from opweave.optim._muon import Muon
from opweave.optim.adadelta import Adadelta
from opweave.optim.adagrad import Adagrad
from opweave.optim.adam import Adam
from opweave.optim.adamw import AdamW
from opweave.optim.adamax import Adamax
from opweave.optim.asgd import ASGD
from opweave.optim.lbfgs import LBFGS
from opweave.optim.nadam import NAdam
from opweave.optim.radam import RAdam
from opweave.optim.rmsprop import RMSprop
from opweave.optim.rprop import Rprop
from opweave.optim.sgd import SGD
from opweave.optim.sparse_adam import SparseAdam
from opweave.optim._stateless import swap_in_optimizer_params_and_state
from opweave.optim import _functional, functional, lr_scheduler, swa_utils
