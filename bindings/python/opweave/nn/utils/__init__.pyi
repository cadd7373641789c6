# Types of opweave.nn.utils.
from collections.abc import Iterable
from typing import Any, TypeVar

from opweave import Tensor
from opweave.nn import Module
from opweave.nn.utils import parametrizations as parametrizations
from opweave.nn.utils import parametrize as parametrize
from opweave.nn.utils import prune as prune
from opweave.nn.utils import rnn as rnn
from opweave.nn.utils import stateless as stateless

_M = TypeVar("_M", bound=Module)

def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> Tensor: ...
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> Tensor: ...
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: Any, foreach: Any = None
) -> None: ...
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Any, foreach: Any = None
) -> None: ...
def convert_conv2d_weight_memory_format(module: _M, memory_format: Any) -> _M: ...
def convert_conv3d_weight_memory_format(module: _M, memory_format: Any) -> _M: ...
def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any: ...
def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: Any,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> Any: ...
def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any: ...
def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: Any, bn_w: Any, bn_b: Any
) -> Any: ...
def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor: ...
def parameters_to_vector(parameters: Tensor | Iterable[Tensor]) -> Tensor: ...
def remove_spectral_norm(module: _M, name: str = "weight") -> _M: ...
def remove_weight_norm(module: _M, name: str = "weight") -> _M: ...
def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any: ...
def spectral_norm(
    module: _M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> _M: ...
def vector_to_parameters(vec: Tensor, parameters: Tensor | Iterable[Tensor]) -> None: ...
def weight_norm(module: _M, name: str = "weight", dim: int = 0) -> _M: ...
