# Types of the functions of this module.
from opweave._C import Tensor

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor: ...
