"""Random numbers: seeds, states, and which engine draws them."""

import contextlib
import warnings

from opweave import _targets, accelerator
from opweave._random import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "default_generator",
    "fork_rng",
    "get_engine",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_engine",
    "set_rng_state",
    "thread_safe_generator",
]

_warned = False


def set_engine(engine):
    """Has the CPU's default generator draw from another engine, from its seed on, and generators of the CPU
    that are made afterwards without an engine of their own.

    Args:
        engine: "philox", which gives the same numbers on every device and with any number of threads; or
            "mt19937", which gives the numbers of PyTorch's CPU, one after the other.

    Raises:
        ValueError: another name.
    """
    default_generator.set_engine(engine)


def get_engine():
    """The engine of the CPU's default generator: "philox" or "mt19937"."""
    return default_generator.engine


def thread_safe_generator():
    """The generator of a thread that loads data, and None elsewhere, which stands for the default one:
    workers are processes, and each has its own."""
    return None


@contextlib.contextmanager
def fork_rng(
    devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None
):
    """Random states afterwards are those before: of the CPU, and of devices.

    Args:
        devices: numbers or devices; all of the kind if they are not given, with a warning if there are
            several.
        enabled: False does nothing.
        device_type: the kind of device; that of the accelerator if it is not given.

    Raises:
        RuntimeError: there is no such kind of device.
    """
    if not enabled or device_type == "meta":
        yield
        return
    modules = _device_module(device_type)
    devices = _all_devices(modules, _caller, _devices_kw) if devices is None else list(devices)
    host = get_rng_state()
    states = [modules.get_rng_state(device) for device in devices]
    try:
        yield
    finally:
        set_rng_state(host)
        for device, state in zip(devices, states, strict=True):
            modules.set_rng_state(state, device)


def _device_module(device_type):
    if device_type is None:
        found = accelerator.current_accelerator()
        device_type = "cuda" if found is None else found.type
    found = _targets.module_of(device_type)
    if found is None:
        raise RuntimeError(
            f"opweave has no module of `{device_type}`: no target of this name is installed"
        )
    return found


def _all_devices(module, caller, keyword):
    global _warned
    kind = module._target
    count = 0 if kind == default_generator.device.type else module.device_count()
    if count > 1 and not _warned:
        _warned = True
        warnings.warn(
            f"{kind.upper()} reports that you have {count} available devices, and you have used {caller} "
            f"without saying which of them are used: the states of all are kept. '{keyword}' names those "
            "that are used; devices=[] are none.",
            stacklevel=5,
        )
    return list(range(count))
