# Types of opweave.signal.windows.
from collections.abc import Iterable

from opweave import Tensor, device, dtype, layout

def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor: ...
