# Types of opweave.nn.attention.bias.
import enum

from opweave import Tensor

class CausalVariant(enum.IntEnum):
    UPPER_LEFT = 1
    LOWER_RIGHT = 2

class CausalBias(Tensor):
    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int
    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None: ...

def causal_upper_left(*size: int) -> CausalBias: ...
def causal_lower_right(*size: int) -> CausalBias: ...
