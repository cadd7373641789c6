# Types of opweave.nn.modules.distance.
from opweave.nn.modules.module import Module

class CosineSimilarity(Module):
    dim: int
    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None: ...

class PairwiseDistance(Module):
    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None: ...
