"""nn.DataParallel: one process, several devices."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

from opweave import _C, accelerator
from opweave._C import device as _device
from opweave.nn.modules.module import Module
from opweave.nn.parallel.parallel_apply import parallel_apply
from opweave.nn.parallel.replicate import replicate
from opweave.nn.parallel.scatter_gather import device_of, gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]


def _devices(device_ids):
    """The accelerator's devices by number, all of them unless some are named; none without an accelerator."""
    if not accelerator.is_available():
        return []
    found = range(accelerator.device_count()) if device_ids is None else device_ids
    return [device_of(d) for d in found]


def _check_place(module, device):
    for tensor in itertools.chain(module.parameters(), module.buffers()):
        if tensor.device != device:
            raise RuntimeError(
                f"module must have its parameters and buffers on device {device} (device_ids[0]) but found "
                f"one of them on device: {tensor.device}"
            )


class DataParallel(Module):
    """A module whose batches are shared among devices: it is copied to each in every call, and gradients come
    together in its parameters. The state dict has the names of the module below `module.`.

    Without an accelerator it calls the module.

    Args:
        module: on the first of the devices.
        device_ids: devices, or numbers of the accelerator's; all without it.
        output_device: where results are put together, the first of them without it.
        dim: along which tensors are shared.

    Raises:
        RuntimeError: when called, a parameter or buffer that is not on the first device.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[_device | str | int] | None = None,
        output_device: _device | str | int | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        devices = _devices(device_ids)
        self.dim = dim
        self.module = module
        self.device_ids = [d.index for d in devices]
        if devices:
            self._places = devices
            self.src_device_obj = devices[0]
            place = devices[0] if output_device is None else device_of(output_device)
            self.output_device = place.index
            self._output_place = place
        elif device_ids:
            warnings.warn(
                f"DataParallel: there is no accelerator for device_ids={device_ids}; the module is called "
                f"as it is",
                stacklevel=2,
            )
        if len(devices) == 1:
            self.module.to(devices[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result for all, joined along `dim` on the output device."""
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        _check_place(self.module, self.src_device_obj)
        inputs, keywords = self.scatter(inputs, kwargs, self._places)
        if not inputs:
            inputs, keywords = ((),), ({},)
        if len(self.device_ids) == 1:
            return self.module(*inputs[0], **keywords[0])
        replicas = self.replicate(self.module, self._places[: len(inputs)])
        outputs = self.parallel_apply(replicas, inputs, keywords)
        return self.gather(outputs, self._output_place)

    def replicate(self, module: Module, device_ids: Sequence[_device | str | int]) -> list[Module]:
        """opweave.nn.parallel.replicate(), with gradients where they are recorded."""
        return replicate(module, device_ids, not _C.is_grad_enabled())

    def scatter(self, inputs: Any, kwargs: Any, device_ids: Sequence[_device | str | int]) -> Any:
        """opweave.nn.parallel.scatter_gather.scatter_kwargs() along `dim`."""
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def parallel_apply(self, replicas: Sequence[Module], inputs: Any, kwargs: Any) -> list[Any]:
        """opweave.nn.parallel.parallel_apply() on the devices."""
        return parallel_apply(replicas, inputs, kwargs, self._places[: len(replicas)])

    def gather(self, outputs: Any, output_device: _device | str | int) -> Any:
        """opweave.nn.parallel.gather() along `dim`."""
        return gather(outputs, output_device, dim=self.dim)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[_device | str | int] | None = None,
    output_device: _device | str | int | None = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """The module's result for inputs, as DataParallel gives it: a tuple of arguments, or the only one."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    devices = _devices(device_ids)
    if not devices:
        return module(*inputs, **(module_kwargs or {}))
    _check_place(module, devices[0])
    inputs, keywords = scatter_kwargs(inputs, module_kwargs, devices, dim)
    if not inputs:
        inputs, keywords = ((),), ({},)
    if len(devices) == 1:
        return module(*inputs[0], **keywords[0])
    used = devices[: len(inputs)]
    outputs = parallel_apply(replicate(module, used), inputs, keywords, used)
    return gather(outputs, devices[0] if output_device is None else output_device, dim)
