# Types of the functions of this module.
from os import PathLike
from typing import Any

from opweave._C import Tensor

def from_file(
    filename: str | PathLike[str],
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor: ...
