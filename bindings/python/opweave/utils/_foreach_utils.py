"""Groups of tensors for functions that take lists of them, as optimisers in libraries make them."""

from opweave import _C, accelerator
from opweave._grad_mode import no_grad

TensorListList = list[list[_C.Tensor | None]]
Indices = list[int]
_foreach_supported_types = [_C.Tensor]


def _device_has_foreach_support(device):
    """Whether lists of tensors on a device are taken: on all of them."""
    return True


def _has_foreach_support(tensors, device):
    """Whether all of them are plain tensors."""
    return all(t is None or type(t) in _foreach_supported_types for t in tensors)


def _get_foreach_kernels_supported_devices():
    """The types of devices for whose sake programs choose lists of tensors: those of the accelerator."""
    device = accelerator.current_accelerator()
    return [] if device is None else [device.type]


def _get_fused_kernels_supported_devices():
    """The types of devices whose optimisers take one step for all tensors at once."""
    return [*_get_foreach_kernels_supported_devices(), _C._default_device().type]


@no_grad()
def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
    """Divides lists of equal length by the device and dtype of the first list's tensors.

    Returns:
        {(device, dtype): (the same lists with the places of the group alone, the places if asked for)}

    Raises:
        RuntimeError: no lists, lists of unequal length, or None in the first one.
    """
    if not tensorlistlist or not tensorlistlist[0]:
        raise RuntimeError(
            "_group_tensors_by_device_and_dtype(): expected lists of tensors, got none"
        )
    first = tensorlistlist[0]
    lengths = [len(tensors) for tensors in tensorlistlist]
    if any(length not in (0, len(first)) for length in lengths):
        raise RuntimeError(
            "_group_tensors_by_device_and_dtype(): expected lists of equal length, got lists of "
            f"{lengths}"
        )
    grouped = {}
    for place, tensor in enumerate(first):
        if not isinstance(tensor, _C.Tensor):
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                f"{place}-th Tensor is not."
            )
        lists, places = grouped.setdefault(
            (tensor.device, tensor.dtype), ([[] for _ in tensorlistlist], [])
        )
        for chosen, tensors in zip(lists, tensorlistlist):
            if tensors:
                chosen.append(tensors[place])
        if with_indices:
            places.append(place)
    return grouped
