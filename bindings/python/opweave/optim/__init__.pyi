# Types of opweave.optim.
from opweave.optim import lr_scheduler as lr_scheduler
from opweave.optim import swa_utils as swa_utils
from opweave.optim.adam import Adam as Adam
from opweave.optim.adam import AdamW as AdamW
from opweave.optim.optimizer import Optimizer as Optimizer
from opweave.optim.sgd import SGD as SGD
