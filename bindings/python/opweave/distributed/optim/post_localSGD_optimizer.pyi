# Types of opweave.distributed.optim.post_localSGD_optimizer.
from opweave.distributed.algorithms.model_averaging.averagers import ModelAverager
from opweave.optim import Optimizer

class PostLocalSGDOptimizer(Optimizer):
    optim: Optimizer
    averager: ModelAverager
    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None: ...
