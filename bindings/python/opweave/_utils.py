"""What parts of the package share, under the names by which programs know it."""

import importlib
import itertools
import sys
import traceback

from opweave import _C, _targets, accelerator
from opweave._top import get_device_module


class KeyErrorMessage(str):
    """Text that a KeyError shows as it is; it shows the `repr` of what it is made of."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An exception of another process or thread, to be raised in this one with the traceback that it had.

    Args:
        exc_info: as sys.exc_info() gives it; that of the exception at hand without it.
        where: it was raised, for the text: "in DataLoader worker process 0".
    """

    def __init__(self, exc_info=None, where="in background"):
        kind, error, trace = sys.exc_info() if exc_info is None else exc_info
        # The traceback as text: the object would keep the frames, and cannot be sent.
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))

    def reraise(self):
        """Raises an exception of its type; RuntimeError where that cannot be made of a text alone."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            error = self.exc_type(text)
        except Exception:
            raise RuntimeError(text) from None
        raise error


class classproperty:  # noqa: N801 - PyTorch's name
    """A property of a class, as a decorator of the function that computes it."""

    def __init__(self, func):
        self.func = func

    def __get__(self, instance, owner=None):
        return self.func(type(instance) if owner is None else owner)


def _get_available_device_type():
    """The type of the accelerator that is there; None without one."""
    found = accelerator.current_accelerator(check_available=True)
    return None if found is None else found.type


def _get_device_module(device_type):
    """The module of a type of devices, opweave.cuda.

    Raises:
        RuntimeError: there is none.
    """
    module = _targets.module_of(device_type)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as "
            f"'{_C._printed_package()}.{device_type}'."
        )
    return module


def _flatten_dense_tensors(tensors):
    """The elements of tensors of one dtype, one after another: a new 1-d tensor."""
    return _C.cat([t.reshape(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """The parts of a 1-d tensor as views with the sizes of `tensors`.

    Raises:
        RuntimeError: less elements than those have.
    """
    starts = itertools.accumulate((t.numel() for t in tensors), initial=0)
    return tuple(flat.narrow(0, at, t.numel()).view_as(t) for at, t in zip(starts, tensors))


def _take_tensors(tensors, size_limit):
    """Lists of tensors of one type, each complete as soon as it has `size_limit` bytes; what is left comes
    last."""
    begun = {}
    for tensor in tensors:
        group = begun.setdefault(tensor.type(), [])
        group.append(tensor)
        if sum(t.numel() * t.element_size() for t in group) >= size_limit:
            yield begun.pop(tensor.type())
    yield from begun.values()


def _import_dotted_name(name):
    """The object that "package.module.name" names."""
    first, *rest = name.split(".")
    found = importlib.import_module(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _accelerator():
    device = accelerator.current_accelerator()
    return None if device is None else get_device_module(device)


def _get_all_device_indices():
    """The indices of an accelerator's devices; none without one."""
    module = _accelerator()
    return [] if module is None else list(range(module.device_count()))


def _get_device_index(device, optional=False, allow_cpu=False):
    """The index of an accelerator's device.

    Args:
        device: a device, its name or its index; None for the current one.
        optional: without an index the device is the current one.
        allow_cpu: that of the host is -1 and no error.

    Raises:
        ValueError: the host, or no index where one has to be.
    """
    device = _C.device(device) if isinstance(device, str) else device
    if isinstance(device, _C.device):
        if _C._is_host(device) and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        index = -1 if _C._is_host(device) else device.index
    else:
        index = device
    if index is None and not optional:
        raise ValueError(
            f"Expected a torch.device with a specified index or an integer, but got:{device}"
        )
    module = _accelerator() if index is None else None
    return index if module is None else module.current_device()
