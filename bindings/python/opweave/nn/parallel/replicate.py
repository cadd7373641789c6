"""A module on several devices: copies that compute with the module's own parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from opweave import _C
from opweave._C import device as _device
from opweave._grad_mode import set_grad_enabled
from opweave.nn.modules.module import Module
from opweave.nn.parallel.scatter_gather import device_of

_M = TypeVar("_M", bound=Module)

__all__ = ["replicate"]


def replicate(
    network: _M, devices: Sequence[_device | str | int], detach: bool = False
) -> list[_M]:
    """Copies of a module, one on each device, through whose tensors gradients come to its parameters.

    A buffer on the first device is the module's own, so that what is counted there stays.

    Args:
        devices: devices, or numbers of the accelerator's.
        detach: whether no gradients are to come.

    Returns:
        list: as many modules as devices; their parameters are tensors, and not parameters().
    """
    return [_replica(network, device_of(device), detach, {}, {}) for device in devices]


def _replica(module, device, detach, modules, tensors):
    """The copy of a module; what several modules share is shared by their copies."""
    if module in modules:
        return modules[module]
    made = modules[module] = module.__new__(type(module))
    made.__dict__ = {**module.__dict__, "_is_replica": True}
    made._parameters, made._buffers = {}, {}
    made._former_parameters = {}
    made._modules = {
        name: None if child is None else _replica(child, device, detach, modules, tensors)
        for name, child in module._modules.items()
    }
    for name, parameter in module._parameters.items():
        moved = _moved(parameter, device, detach, tensors)
        made.__dict__[name] = made._former_parameters[name] = moved
    for name, buffer in module._buffers.items():
        made._buffers[name] = _moved(buffer, device, True, tensors)
    return made


def _moved(tensor, device, detach, tensors):
    if tensor is None:
        return None
    if tensor not in tensors:
        with set_grad_enabled(_C.is_grad_enabled() and not detach):
            tensors[tensor] = tensor.to(device)
    return tensors[tensor]
