"""DLPack: tensors of other libraries, without a copy. https://dmlc.github.io/dlpack/latest/python_spec.html"""

import enum

from opweave import _C

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


# Where memory lies, in DLPack's numbers.
DLDeviceType = enum.IntEnum(
    "DLDeviceType",
    {
        "kDLCPU": 1,
        "kDLCUDA": 2,
        "kDLCUDAHost": 3,
        "kDLOpenCL": 4,
        "kDLVulkan": 7,
        "kDLMetal": 8,
        "kDLVPI": 9,
        "kDLROCM": 10,
        "kDLROCMHost": 11,
        "kDLExtDev": 12,
        "kDLCUDAManaged": 13,
        "kDLOneAPI": 14,
        "kDLWebGPU": 15,
        "kDLHexagon": 16,
        "kDLMAIA": 17,
        "kDLTrn": 18,
    },
    module=__name__,
)


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of an object with __dlpack__, or of a DLPack capsule.

    Args:
        device: where the tensor is to be; None leaves it where it is.
        copy: True copies in any case; False raises where a copy cannot be avoided.

    Raises:
        RuntimeError: neither of these; a capsule that was used before; a dtype, device or stride that no
            tensor has.
        ValueError: another device, without a copy.
        BufferError: what the object's owner does not export.
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError(
                "device and copy kwargs not supported when ext_tensor is already a DLPack capsule."
            )
        return _C._from_dlpack(ext_tensor)
    capsule, copied = _capsule(ext_tensor, copy)
    tensor = _C._from_dlpack(capsule)
    device = tensor.device if device is None else _C.device(device)
    if device != tensor.device:
        if copy is False:
            raise ValueError(
                f"cannot move DLPack tensor from device {tensor.device} to {device} without copying. "
                "Set copy=None or copy=True."
            )
        return tensor.to(device)
    return tensor.clone() if copy and not copied else tensor


def _capsule(source, copy):
    """The object's capsule, and whether it is of a copy. Objects may know fewer arguments than DLPack 1."""
    wanted = {} if copy is None else {"copy": copy}
    for arguments in ({"max_version": (1, 0), **wanted}, wanted):
        try:
            return source.__dlpack__(**arguments), bool(copy)
        except TypeError:
            pass
    return source.__dlpack__(), False


def to_dlpack(tensor):
    """The capsule of DLPack 0.8 that describes a tensor to other libraries."""
    return export(tensor.detach(), -1, None, None, None, False)


def device_of(tensor):
    """Where a tensor's memory is, as (DLDeviceType, index).

    Raises:
        ValueError: where DLPack knows no memory.
    """
    if not _C._is_host(tensor.device):
        raise ValueError(f"Unknown device type {tensor.device.type} for Dlpack")
    return DLDeviceType.kDLCPU, 0


def export(tensor, stream, max_version, dl_device, copy, read_only):
    """Tensor.__dlpack__, which says what the arguments are."""
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if not _C._is_host(tensor.device):
        raise BufferError(f"Cannot pack tensors on {tensor.device}")
    if stream not in (None, -1):
        raise AssertionError(f"stream should be None on {tensor.device}, not {stream}.")
    if dl_device is not None and dl_device[0] != DLDeviceType.kDLCPU:
        raise BufferError(
            f"a tensor on {tensor.device} has no memory on the DLPack device {dl_device}"
        )
    versioned = max_version is not None and max_version[0] >= 1
    if read_only and not versioned:
        raise BufferError(
            "read_only export requires the versioned DLPack protocol; pass max_version=(1, 0) or higher"
        )
    return (tensor.clone() if copy else tensor)._to_dlpack(versioned, read_only, bool(copy))
