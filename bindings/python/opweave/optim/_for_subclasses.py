"""What optimizers of others import from PyTorch's module of the base class."""

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

from opweave import _C
from opweave._C import Tensor
from opweave._grad_mode import set_grad_enabled

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = dict[str, Any]
StateDict: TypeAlias = dict[str, Any]
DeviceDict: TypeAlias = dict[_C.device | None, Tensor]
DeviceDtypeDict: TypeAlias = dict[tuple[_C.device, _C.dtype] | None, Tensor]


def _get_scalar_dtype(is_fused=None):
    """Of the numbers that are kept beside a parameter, as counts of steps."""
    if is_fused or _C.get_default_dtype() != _C.float64:
        return _C.float32
    return _C.float64


def _use_grad_for_differentiable(func):
    """A `step` that autograd records only where the optimizer's default "differentiable" says so."""

    @functools.wraps(func)
    def _use_grad(*args, **kwargs):
        with set_grad_enabled(args[0].defaults["differentiable"]):
            return func(*args, **kwargs)

    return _use_grad


def _get_value(x):
    """A number: of a tensor its element."""
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x):
    """A tensor of one element without dimensions; a number as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _stack_if_compiling(x):
    """`x`: nothing is compiled."""
    return x


def _disable_dynamo_if_unsupported(single_tensor_fn=None):
    """A decorator that leaves a function as it is: nothing is compiled."""
    return lambda func: func


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """(fused, foreach): which form of a step suits parameters, of optimizers that have several."""
    if differentiable:
        return False, False
    fits = all(p is None or p.is_floating_point() for p in params)
    fused = use_fused and fits
    return fused, not fused and all(p is None or p.device.type == "cuda" for p in params)


def _device_dtype_check_for_fused(p, cuda_unsupported=False):
    """RuntimeError for a parameter that fused steps cannot have."""
    if not p.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors, but got one of "
            f"{p.dtype} on {p.device.type}"
        )


def _get_capturable_supported_devices(supports_xla=True):
    """Types of devices on which a step can be recorded as a graph."""
    return ["cuda"]


def _view_as_real(params, *state_and_grads):
    """Replaces complex tensors in the lists by views of their real and imaginary parts."""
    for i, param in enumerate(params):
        if param.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = _C.view_as_real(tensors[i])
