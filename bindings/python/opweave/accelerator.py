"""The current accelerator, whichever it is: its devices, streams and memory.

That is the first target with devices of its own that was loaded; those that are installed are loaded
to find one.
"""

import warnings

from opweave import _C

__all__ = [
    "Graph",
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "empty_host_cache",
    "get_device_capability",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]


def current_accelerator(check_available=False):
    """The device type of the accelerator, or None; with check_available, only if it has a device."""
    found = _C._accelerator()
    if found is None or (check_available and _C._device_count(found) == 0):
        return None
    return found


def is_available():
    """Whether there is an accelerator with a usable device."""
    return device_count() > 0


def device_count():
    """How many devices the accelerator has; 0 without one."""
    found = current_accelerator()
    return 0 if found is None else _C._device_count(found)


def _required():
    found = current_accelerator()
    if found is None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return found


def _index(device, optional=True):
    """The number of a device; the current one's where it has none, if that is allowed."""
    if isinstance(device, int):
        return device
    index = None
    if device is not None:
        device = _C.device(device)
        found = current_accelerator()
        if found is None:
            raise RuntimeError("Accelerator expected")
        if found.type != device.type:
            raise ValueError(f"{device.type} doesn't match the current accelerator {found}.")
        index = device.index
    if index is None:
        if not optional:
            raise ValueError(
                f"Expected an opweave.device with a specified index or an integer, but got:{device}"
            )
        return current_device_index()
    return index


def _device(device, optional=True):
    return _C.device(_required().type, _index(device, optional))


def current_device_index():
    """The number of the device that this thread works on."""
    return _C._current_device(_required())


def set_device_index(device, /):
    """Makes a device this thread's current one; a negative number changes nothing."""
    index = _index(device, optional=False)
    if index >= 0:
        _C._exchange_device(_C.device(_required().type, index))


def current_device_idx():
    """Deprecated: current_device_index()."""
    _warn("current_device_index")
    return current_device_index()


def set_device_idx(device, /):
    """Deprecated: set_device_index()."""
    _warn("set_device_index")
    set_device_index(device)


def _warn(name):
    warnings.warn(f"Use `{name}` instead.", category=FutureWarning, stacklevel=3)


class device_index:  # noqa: N801 - PyTorch's name
    """Makes a device the current one within `with`; None changes nothing."""

    def __init__(self, device, /):
        self.idx = device
        self.prev_idx = -1

    def __enter__(self):
        if self.idx is not None:
            self.prev_idx = _C._exchange_device(_C.device(_required().type, self.idx))

    def __exit__(self, *exc_info):
        if self.idx is not None:
            set_device_index(self.prev_idx)


def current_stream(device=None, /):
    """The stream that operators of this thread use on a device."""
    return _C._current_stream(_device(device))


def set_stream(stream):
    """Makes a stream the current one, and its device as well."""
    _C._set_stream(stream)


def synchronize(device=None, /):
    """Waits for all work on a device."""
    _C._synchronize(_device(device))


def empty_cache():
    """Returns unused memory of the devices to the system."""
    if is_available():
        _C._empty_cache(current_accelerator())


def empty_host_cache():
    """Returns unused pinned memory to the system."""
    if is_available():
        _C._empty_host_cache(current_accelerator())


def memory_stats(device_index=None, /):
    """Bytes and numbers of allocations; empty without an accelerator."""
    return _C._memory_stats(_device(device_index)) if is_available() else {}


def memory_allocated(device_index=None, /):
    """Bytes that tensors hold."""
    return memory_stats(device_index).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device_index=None, /):
    """The most bytes that tensors held."""
    return memory_stats(device_index).get("allocated_bytes.all.peak", 0)


def memory_reserved(device_index=None, /):
    """Bytes that are held from the system."""
    return memory_stats(device_index).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device_index=None, /):
    """The most bytes that were held from the system."""
    return memory_stats(device_index).get("reserved_bytes.all.peak", 0)


def reset_peak_memory_stats(device_index=None, /):
    """Counts the most bytes from now on."""
    if is_available():
        _C._reset_peak_memory_stats(_device(device_index))


def get_memory_info(device_index=None, /):
    """Free and total bytes of a device."""
    found = _C._device_properties(_device(device_index))
    return found["free_memory"], found["total_memory"]


def get_device_capability(device_index=None, /):
    """What a device can do: {"supported_dtypes": the dtypes of its tensors}.

    Raises:
        RuntimeError: there is no accelerator.
    """
    _device(device_index)
    known = (v for v in vars(_C).values() if isinstance(v, _C.dtype))
    return {"supported_dtypes": set(known)}


def reset_accumulated_memory_stats(device_index=None, /):
    """For PyTorch's programs: counts from the start of the program are kept, and go on.

    Raises:
        NotImplementedError: there is an accelerator, whose counts cannot be set back.
    """
    if is_available():
        raise NotImplementedError(
            "reset_accumulated_memory_stats(): counts of allocations are not set back; "
            "reset_peak_memory_stats() sets back the most bytes"
        )


class Graph:
    """A graph of calls in PyTorch; nothing records one here.

    Raises:
        RuntimeError: when one is made.
    """

    def __init__(self, *args, **options):
        found = current_accelerator()
        kind = (_C._default_device() if found is None else found).type
        raise RuntimeError(f"Graph is not supported on device type: {kind}")
