"""What files of PyTorch call to make tensors, under its names and with its arguments.

Storages are TypedStorage. Everything here is also called with what a stranger wrote: the numbers
are checked against the storage by `_tensor_from_storage`.
"""

from opweave import _C
from opweave.nn.parameter import Parameter
from opweave.storage import TypedStorage


def _numbers(items):
    """A tuple of a tuple or list, and of nothing else: a tensor of one byte can be expanded for ever."""
    if not isinstance(items, (tuple, list)):
        raise TypeError(f"a tuple is expected, not {type(items).__name__}")
    return tuple(items)


def _typed(storage):
    if not isinstance(storage, TypedStorage):
        raise TypeError(f"a tensor needs a storage with a dtype, not {type(storage).__name__}")
    return storage


def _rebuild_tensor(storage, storage_offset, size, stride):
    storage = _typed(storage)
    return _C._tensor_from_storage(
        storage._untyped_storage, storage.dtype, storage_offset, _numbers(size), _numbers(stride)
    )


def _rebuild_tensor_v2(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None
):
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    return tensor.requires_grad_() if requires_grad else tensor


def _rebuild_tensor_v3(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None
):
    untyped = _typed(storage)._untyped_storage
    tensor = _C._tensor_from_storage(
        untyped, dtype, storage_offset, _numbers(size), _numbers(stride)
    )
    return tensor.requires_grad_() if requires_grad else tensor


def _rebuild_parameter(data, requires_grad, backward_hooks):
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    parameter = Parameter(data, requires_grad)
    parameter.__dict__.update(_attributes(state))
    return parameter


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    return _C.empty_strided(
        _numbers(size), _numbers(stride), dtype=dtype, device="meta", requires_grad=requires_grad
    )


def _rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad):
    if not isinstance(data, _C.Tensor) or not data.is_contiguous():
        raise TypeError("a tensor of a device is made of a contiguous tensor")
    return data.to(device, dtype).requires_grad_(requires_grad)


def _rebuild_from_type_v2(func, new_type, args, state):
    """A tensor of a subclass, or one with attributes."""
    tensor = func(*_numbers(args))
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    if type(tensor).__setstate__ is not _C.Tensor.__setstate__:
        tensor.__setstate__(state)
    else:
        tensor.__dict__.update(_attributes(state))
    return tensor


def _attributes(state):
    """The attributes among what PyTorch saves of an object: a dict, or one and the values of slots."""
    parts = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    for part in parts:
        if not isinstance(part, (dict, type(None))):
            raise TypeError(f"the attributes of a tensor must be a dict, not {type(part).__name__}")
    return {**(parts[0] or {}), **(parts[1] or {})}


def _get_layout(name):
    """A layout by its name."""
    layout = getattr(_C, name.rpartition(".")[2], None)
    if not isinstance(layout, _C.layout):
        raise ValueError(f"there is no layout {name!r}")
    return layout
