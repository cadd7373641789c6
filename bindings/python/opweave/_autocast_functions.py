"""What functions written in Python compute in inside of autocast: entries of ops.yaml say it of operators."""

import functools

from opweave import _C


def computed_in(host, others):
    """Decorates a function whose first tensor says on which device it computes.

    Args:
        host: what its floating-point arguments are cast to on the host: "fp32", "lower_precision", which is
            the region's dtype, or "promote", the widest of their own; None leaves them as they are. Within
            the function nothing is cast. Double precision stays.
        others: the same on other devices.
    """

    def decorate(function):
        @functools.wraps(function)
        def cast(*args, **kwargs):
            device = _device_of((*args, *kwargs.values()))
            if device is None or not _C._autocast_is_enabled(device):
                return function(*args, **kwargs)
            policy = host if _C._is_host(device) else others
            if policy is None:
                return function(*args, **kwargs)
            return _cast_call(function, args, kwargs, device, policy)

        return cast

    return decorate


def _device_of(arguments):
    """The device of the first tensor, if its tensors have elements."""
    for value in arguments:
        if isinstance(value, _C.TensorBase):
            return None if value.is_meta else value.device
    return None


def _cast_call(function, args, kwargs, device, policy):
    from opweave.amp.autocast_mode import _cast, autocast

    if policy == "fp32":
        dtype = _C.float32
    elif policy == "lower_precision":
        dtype = _C._autocast_dtype(device)
    else:
        dtype = _widest((*args, *kwargs.values()))
    with autocast(device.type, enabled=False):
        return function(*_cast(args, device.type, dtype), **_cast(kwargs, device.type, dtype))


def _widest(arguments):
    dtypes = [v.dtype for v in arguments if isinstance(v, _C.TensorBase) and v.is_floating_point()]
    return functools.reduce(_C.promote_types, dtypes)
