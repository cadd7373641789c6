"""What a run of a function depends on beside its arguments: random states, autocast and vmaps."""

import contextlib
import warnings

from opweave import _C, _targets, accelerator
from opweave._random import get_rng_state, set_rng_state
from opweave.amp._settings import get_autocast_dtype, is_autocast_enabled
from opweave.amp.autocast_mode import autocast
from opweave.random import default_generator, fork_rng

_HOST = default_generator.device.type


class DefaultDeviceType:
    """The kind of device whose random states are kept where no argument is on one."""

    _default_device_type = None

    @staticmethod
    def set_device_type(device="cuda"):
        """Sets it."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type():
        """What was set, or the accelerator's kind, or the CPU."""
        if DefaultDeviceType._default_device_type is None:
            found = accelerator.current_accelerator(check_available=True)
            return _HOST if found is None else found.type
        return DefaultDeviceType._default_device_type


# --- what a run starts from ------------------------------------------------------------------------------
def _tensors(value):
    """The tensors in arguments, in containers too."""
    if isinstance(value, _C.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)


def _kind_of(*args):
    kinds = [t.device.type for t in _tensors(args) if t.device.type != _HOST]
    if len(set(kinds)) > 1:
        warnings.warn(
            f"Tensor arguments are on several kinds of devices: {sorted(set(kinds))}. The random states "
            f"of '{kinds[0]}' are kept, those of the others are not: what is random there may give wrong "
            "gradients.",
            stacklevel=5,
        )
    return kinds[0] if kinds else DefaultDeviceType.get_device_type()


def get_device_states(*args):
    """(numbers of the devices that tensors in `args` are on, the states of their generators)."""
    kind = _kind_of(*args)
    devices = sorted({t.device.index for t in _tensors(args) if t.device.type == kind} - {None})
    if kind in (_HOST, "meta"):
        return [], []
    return devices, [_targets.module(kind).get_rng_state(d) for d in devices]


def set_device_states(devices, states, *, device_type=None):
    """Restores what get_device_states() gave."""
    kind = device_type or DefaultDeviceType.get_device_type()
    if kind == "meta":
        return
    for device, state in zip(devices, states, strict=False):
        _targets.module(kind).set_rng_state(state, device)


@contextlib.contextmanager
def _in_vmaps(levels):
    """The vmaps that arguments are batched in: a backward pass may run outside of them, or in others."""
    before = _C._vmap_change_levels(levels)
    try:
        yield
    finally:
        _C._vmap_change_levels(before)


class Surroundings:
    """Random states, autocast and vmaps of a run, for another one."""

    def __init__(self, args, preserve_rng_state):
        self._kind = _kind_of(*args)
        self._preserves = preserve_rng_state
        if preserve_rng_state:
            self._host = get_rng_state()
            self._devices, self._states = get_device_states(*args)
        self._levels = _C._vmap_levels()
        kinds = {_HOST, self._kind} - {"meta"}
        self._autocast = [
            {
                "device_type": kind,
                "enabled": is_autocast_enabled(kind),
                "dtype": get_autocast_dtype(kind),
                "cache_enabled": _C.is_autocast_cache_enabled(),
            }
            for kind in sorted(kinds)
        ]

    @contextlib.contextmanager
    def again(self):
        """The states that there were; afterwards those that there are."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(_in_vmaps(self._levels))
            if self._preserves:
                stack.enter_context(fork_rng(self._devices, device_type=self._kind))
                set_rng_state(self._host)
                set_device_states(self._devices, self._states, device_type=self._kind)
            for settings in self._autocast:
                stack.enter_context(_autocast(**settings))
            yield


def _autocast(device_type, enabled, dtype, cache_enabled):
    # Off is off, whatever the dtype is: no warning.
    dtype = dtype if enabled else None
    return autocast(device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
