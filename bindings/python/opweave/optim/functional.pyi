# Types of opweave.optim.functional.
from opweave.optim._adafactor import adafactor as adafactor
from opweave.optim._muon import muon as muon
from opweave.optim.adadelta import adadelta as adadelta
from opweave.optim.adagrad import adagrad as adagrad
from opweave.optim.adam import adam as adam
from opweave.optim.adamax import adamax as adamax
from opweave.optim.adamw import adamw as adamw
from opweave.optim.asgd import asgd as asgd
from opweave.optim.nadam import nadam as nadam
from opweave.optim.radam import radam as radam
from opweave.optim.rmsprop import rmsprop as rmsprop
from opweave.optim.rprop import rprop as rprop
from opweave.optim.sgd import sgd as sgd
from opweave.optim.sparse_adam import sparse_adam as sparse_adam
