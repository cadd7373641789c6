"""What autocast is set to in this thread, by kind of device, with PyTorch's names."""

import threading
import warnings

from opweave import _C, _targets


class _Absent(threading.local):
    """Settings for kinds of devices that programs name and this installation does not have."""

    def __init__(self):
        self.enabled = {}
        self.dtypes = {}


_absent = _Absent()


def _device(device_type, function):
    """The device of a kind; None for one that is not installed. RuntimeError for a name of none."""
    if not isinstance(device_type, str):
        raise TypeError(
            f"{function}(): argument 'device_type' (position 1) must be str, not "
            f"{type(device_type).__name__}"
        )
    if device_type in _targets.EXPECTED and not _targets.load(device_type):
        return None
    return _C.device(device_type)


def is_autocast_available(device_type):
    """Whether there is autocast for a kind of device: all that have elements.

    Raises:
        RuntimeError: no kind of device has this name.
    """
    device = _device(device_type, "is_autocast_available")
    return device is None or device.type != "meta"


def _available(device_type, function):
    device = _device(device_type, function)
    if device is not None and device.type == "meta":
        raise RuntimeError(
            f"{function}(): there is no autocast for device type '{device_type}', whose tensors have "
            "no elements"
        )
    return device


def is_autocast_enabled(device_type="cuda"):
    """Whether operators on a kind of device compute in dtypes that suit them."""
    device = _available(device_type, "is_autocast_enabled")
    if device is None:
        return _absent.enabled.get(device_type, False)
    return _C._autocast_is_enabled(device)


def set_autocast_enabled(device_type, enabled=None, /):
    """set_autocast_enabled(device_type, enabled); of CUDA where only `enabled` is given."""
    if enabled is None and not isinstance(device_type, str):
        device_type, enabled = "cuda", device_type
    device = _available(device_type, "set_autocast_enabled")
    if device is not None:
        _C._autocast_set_enabled(device, enabled)
        return
    if not isinstance(enabled, bool):
        raise TypeError(
            "set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not "
            f"{type(enabled).__name__}"
        )
    _absent.enabled[device_type] = enabled


def get_autocast_dtype(device_type):
    """The dtype of operators that compute in lower precision on a kind of device."""
    device = _available(device_type, "get_autocast_dtype")
    if device is None:
        return _absent.dtypes.get(device_type, _C.float16)
    return _C._autocast_dtype(device)


def set_autocast_dtype(device_type, dtype, /):
    """Sets the dtype of operators that compute in lower precision on a kind of device."""
    device = _available(device_type, "set_autocast_dtype")
    if device is not None:
        _C._autocast_set_dtype(device, dtype)
        return
    if not isinstance(dtype, _C.dtype):
        raise TypeError(
            "set_autocast_dtype(): argument 'dtype' (position 2) must be opweave.dtype, not "
            f"{type(dtype).__name__}"
        )
    _absent.dtypes[device_type] = dtype


# --- PyTorch's older names ---------------------------------------------------------------------------
def _deprecated(old, new):
    warnings.warn(
        f"opweave.{old} is deprecated. Please use opweave.{new} instead.",
        DeprecationWarning,
        stacklevel=3,
    )


def is_autocast_cpu_enabled():
    """is_autocast_enabled("cpu")"""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled, /):
    """set_autocast_enabled("cpu", enabled)"""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype():
    """get_autocast_dtype("cpu")"""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype, /):
    """set_autocast_dtype("cpu", dtype)"""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype():
    """get_autocast_dtype("cuda")"""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype, /):
    """set_autocast_dtype("cuda", dtype)"""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)
