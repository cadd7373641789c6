# Types of the functions of this module.
from typing import Any

from opweave._C import Tensor

def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor: ...
def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor: ...
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Any,
) -> Tensor: ...
def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor: ...
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor: ...
