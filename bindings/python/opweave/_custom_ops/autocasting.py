"""What operators that are Python functions compute in inside of autocast."""

from opweave import _C
from opweave._custom_ops.structure import map_tensors, tensors
from opweave.amp._settings import is_autocast_available, is_autocast_enabled


def check_device_type(device_type, dtype):
    """The name of a kind of device that there is autocast for."""
    if not isinstance(device_type, str):
        raise ValueError(
            f"register_autocast(): Expected `device_type` of type `str`, got: `{type(device_type)}`"
        )
    if not isinstance(dtype, _C.dtype):
        raise TypeError(
            f"register_autocast(): argument 'cast_inputs' must be opweave.dtype, not {type(dtype).__name__}"
        )
    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")
    return device_type


def _cast_to(dtype, device_type):
    """Floating tensors on that kind of device become `dtype`; float64 is left alone: who uses it means it."""

    def cast(tensor):
        fits = tensor.device.type == device_type and tensor.is_floating_point()
        return tensor.to(dtype) if fits and tensor.dtype != _C.float64 else tensor

    return cast


def autocast_kernel(operator, dtypes, below):
    """The kernel of the dispatch key of autocast.

    Args:
        operator: what is called again below.
        dtypes: by kind of device; may grow.
        below: makes a context inside of which the call does not come back.
    """

    def kernel(*args, **kwargs):
        kinds = {tensor.device.type for tensor in tensors(args)}
        for kind in kinds & dtypes.keys():
            if is_autocast_enabled(kind):
                args = map_tensors(_cast_to(dtypes[kind], kind), args)
        with below():
            return operator(*args, **kwargs)

    return kernel
