# Types of opweave.optim.
from opweave.optim import functional as functional
from opweave.optim import lr_scheduler as lr_scheduler
from opweave.optim import swa_utils as swa_utils
from opweave.optim._adafactor import Adafactor as Adafactor
from opweave.optim._muon import Muon as Muon
from opweave.optim._stateless import (
    swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state,
)
from opweave.optim.adadelta import Adadelta as Adadelta
from opweave.optim.adagrad import Adagrad as Adagrad
from opweave.optim.adam import Adam as Adam
from opweave.optim.adamax import Adamax as Adamax
from opweave.optim.adamw import AdamW as AdamW
from opweave.optim.asgd import ASGD as ASGD
from opweave.optim.lbfgs import LBFGS as LBFGS
from opweave.optim.nadam import NAdam as NAdam
from opweave.optim.optimizer import Optimizer as Optimizer
from opweave.optim.radam import RAdam as RAdam
from opweave.optim.rmsprop import RMSprop as RMSprop
from opweave.optim.rprop import Rprop as Rprop
from opweave.optim.sgd import SGD as SGD
from opweave.optim.sparse_adam import SparseAdam as SparseAdam
