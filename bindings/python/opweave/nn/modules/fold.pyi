# Types of opweave.nn.modules.fold.
from collections.abc import Sequence

from opweave.nn.modules.module import Module

class Fold(Module):
    def __init__(
        self,
        output_size: int | Sequence[int | None] | None,
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None: ...

class Unfold(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None: ...
