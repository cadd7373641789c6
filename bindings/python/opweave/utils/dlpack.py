"""DLPack: tensors of other libraries, without a copy."""

from opweave import _C


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of an object with __dlpack__, or of a DLPack capsule."""
    tensor = _C._from_dlpack(ext_tensor)
    if device is not None:
        tensor = tensor.to(device)
    return tensor.clone() if copy else tensor


def to_dlpack(tensor):
    """The capsule that describes a tensor to other libraries."""
    return tensor.__dlpack__()
