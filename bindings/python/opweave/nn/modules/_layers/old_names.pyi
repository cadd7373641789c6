# Types of opweave.nn.modules._layers.old_names.
from opweave.nn.modules.loss import NLLLoss
from opweave.nn.modules.module import Module

class CrossMapLRN2d(Module):
    def __init__(
        self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1
    ) -> None: ...

class NLLLoss2d(NLLLoss): ...

class Container(Module):
    def __init__(self, **kwargs: Module) -> None: ...
