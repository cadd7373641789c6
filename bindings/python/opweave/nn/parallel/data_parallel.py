"""nn.DataParallel: one process, several devices."""

import warnings

import opweave
from opweave.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


def _devices(device_ids):
    """The accelerator's devices by number, all of them unless some are named; none without an accelerator."""
    if not opweave.accelerator.is_available():
        return []
    found = range(opweave.accelerator.device_count()) if device_ids is None else device_ids
    kind = opweave.accelerator.current_accelerator().type
    return [opweave.device(kind, d) if isinstance(d, int) else opweave.device(d) for d in found]


def _refuse_several(devices):
    if len(devices) > 1:
        raise NotImplementedError(
            f"DataParallel over several devices is not supported, expected one or none, but got {devices}; "
            "DistributedDataParallel trains on several"
        )


class DataParallel(Module):
    """A module whose batches would be shared among devices.

    Without an accelerator, or with one device, it calls the module. The state dict has the names of the
    module below `module.`.

    Raises:
        NotImplementedError: several devices.
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        devices = _devices(device_ids)
        _refuse_several(devices)
        self.dim = dim
        self.module = module
        self.device_ids = [d.index for d in devices]
        self.output_device = output_device
        if devices:
            self.module.to(devices[0])
        elif device_ids:
            warnings.warn(
                f"DataParallel: there is no accelerator for device_ids={device_ids}; the module is called "
                f"as it is",
                stacklevel=2,
            )

    def forward(self, *inputs, **kwargs):
        """The module's result."""
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """The module's result for inputs, as DataParallel gives it."""
    _refuse_several(_devices(device_ids))
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))
