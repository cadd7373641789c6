"""Private names of torch.cuda that programs call, for the module of each kind of hardware."""

from typing import Any

from opweave import _utils


def found(module, name):
    """What a private name means in the module of a target; None for others."""
    made = _NAMES.get(name)
    return None if made is None else made(module)


def _lazy_call(module):
    def call(callable, **kwargs):
        """Calls a function once the target is loaded: at once, if it ever is."""
        if module.is_available():
            callable()

    return call


def _lazy_init(module):
    def init():
        """Loads the target; raises without a usable device."""
        module.init()

    return init


def _device_index(module):
    def index(device, optional=False, allow_cpu=False):
        """The number of a device of this kind, of what a program says of it; -1 of the processor."""
        return _utils._get_device_index(device, optional, allow_cpu)

    return index


_NAMES = {
    "_device_t": lambda module: Any,
    "_get_device_index": _device_index,
    "_initialized": lambda module: module.is_initialized(),
    "_is_in_bad_fork": lambda module: lambda: False,  # processes that are forked are told
    "_lazy_call": _lazy_call,
    "_lazy_init": _lazy_init,
    "_queued_calls": lambda module: [],
}
