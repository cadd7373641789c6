# Types of opweave.nn.grad.
from collections.abc import Sequence

from opweave import Tensor

_Int = int | Sequence[int]

def conv1d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Int = 1,
    padding: _Int = 0,
    dilation: _Int = 1,
    groups: int = 1,
) -> Tensor: ...
def conv1d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Int = 1,
    padding: _Int = 0,
    dilation: _Int = 1,
    groups: int = 1,
) -> Tensor: ...
def conv2d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Int = 1,
    padding: _Int = 0,
    dilation: _Int = 1,
    groups: int = 1,
) -> Tensor: ...
def conv2d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Int = 1,
    padding: _Int = 0,
    dilation: _Int = 1,
    groups: int = 1,
) -> Tensor: ...
def conv3d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Int = 1,
    padding: _Int = 0,
    dilation: _Int = 1,
    groups: int = 1,
) -> Tensor: ...
def conv3d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Int = 1,
    padding: _Int = 0,
    dilation: _Int = 1,
    groups: int = 1,
) -> Tensor: ...
