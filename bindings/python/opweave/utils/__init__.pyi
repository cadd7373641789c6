# Types of opweave.utils.
from typing import Any

from opweave import Tensor
from opweave.utils import checkpoint as checkpoint
from opweave.utils import data as data
from opweave.utils import dlpack as dlpack
from opweave.utils import flop_counter as flop_counter

def set_module(obj: Any, mod: str) -> None: ...
def swap_tensors(t1: Tensor, t2: Tensor) -> None: ...
def rename_privateuse1_backend(backend_name: str) -> None: ...
def generate_methods_for_privateuse1_backend(
    for_tensor: bool = True,
    for_module: bool = True,
    for_packed_sequence: bool = True,
    for_storage: bool = False,
    unsupported_dtype: Any = None,
) -> None: ...

# Modules whose types are not written: benchmark, hooks, weak, deterministic, ...
def __getattr__(name: str) -> Any: ...
