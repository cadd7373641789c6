# Types of the functions of this module.
from typing import Any

from opweave._C import Tensor

def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor: ...
def poisson(input: Tensor, generator: Any = None) -> Tensor: ...
