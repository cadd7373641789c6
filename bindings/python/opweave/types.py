"""Types of arguments, after torch.types."""

import os
from collections.abc import Sequence
from typing import IO

from opweave._C import Size, Tensor, UntypedStorage, device, dtype, layout

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
_Number = (int, float, bool)
Device = device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = UntypedStorage
_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors = Tensor | Sequence[Tensor | None]
_size = Size | list[int] | tuple[int, ...]
_int, _float, _bool = int, float, bool
_dtype, _device, _layout = dtype, device, layout
IntLikeType, FloatLikeType, BoolLikeType = int, float, bool
